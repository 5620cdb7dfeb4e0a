import { atomicallyWith, Transactions } from "@portico/store/Transactions"
import { Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { Current, Transaction } from "./transaction.ts"

/**
 * Transactions of one process, with savepoints as the database's client has
 * them. They run one after the other, so that each finds what the one before
 * it left, and a row that one has read stays as it is; whoever is outside of
 * all of them sees what the one at work has written so far.
 */
export const layer = Layer.effect(
  Transactions,
  Effect.map(Semaphore.make(1), (turn) => {
    const atomically = atomicallyWith(
      SqlClient.makeWithTransaction({
        transactionService: Current,
        spanAttributes: [],
        acquireConnection: (restore) =>
          Effect.acquireRelease(Effect.as(restore(turn.take(1)), new Transaction()), (transaction) => {
            transaction.isOver = true
            return turn.release(1)
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
