import { atomicallyWith, Transactions } from "@portico/store/Transactions"
import { Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { Current, Transaction } from "./transaction.ts"

/**
 * Transactions of one process, with savepoints like the database client's. They
 * run one after the other, so each sees the result of the one before, and no
 * other transaction changes a row that it has read. Code outside of a
 * transaction sees the writes of the running one.
 */
export const layer = Layer.effect(
  Transactions,
  Effect.map(Semaphore.make(1), (lock) => {
    const atomically = atomicallyWith(
      SqlClient.makeWithTransaction({
        transactionService: Current,
        spanAttributes: [],
        acquireConnection: (restore) =>
          Effect.acquireRelease(Effect.as(restore(lock.take(1)), new Transaction()), (transaction) => {
            transaction.isOver = true
            return lock.release(1)
          }),
        begin: () => Effect.void,
        savepoint: (transaction, id) => Effect.sync(() => transaction.save(id)),
        commit: (transaction) => transaction.commit,
        rollback: (transaction) => Effect.sync(() => transaction.rollBack()),
        rollbackSavepoint: (transaction, id) => Effect.sync(() => transaction.rollBack(id))
      })
    )
    return Transactions.of({ atomically, exclusively: (_, effect) => atomically(effect) })
  })
)
