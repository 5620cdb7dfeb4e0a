import { Context, Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { advisoryLock } from "./rows.ts"
import { inTurn } from "./client/inTurn.ts"

/** The decisions that are serialised across all replicas. */
export type Lock = "admission"

/** The effect's own failures are wrapped in `domain`, which separates them from failures of BEGIN and COMMIT. */
export const atomicallyWith =
  (withTransaction: SqlClient.SqlClient["withTransaction"]) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    withTransaction(Effect.mapError(effect, (error) => ({ domain: error }))).pipe(
      Effect.catch((failure) => ("domain" in failure ? Effect.fail(failure.domain) : Effect.die(failure)))
    )

/** Transactions and mutual exclusion. A database that does not answer is a defect. */
export class Transactions extends Context.Service<
  Transactions,
  {
    /** The effect's writes commit together, or not at all when it fails. */
    atomically<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** Like {@link atomically}, and serialised per lock across all replicas. */
    exclusively<A, E, R>(lock: Lock, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("portico/store/Transactions") {
  static readonly layer = Layer.effect(
    Transactions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Only one fiber of this process waits for the database's lock. Otherwise a queue here would take every
      // connection from the authentication of other calls.
      const queues: Readonly<Record<Lock, Semaphore.Semaphore>> = { admission: yield* Semaphore.make(1) }

      const atomically = atomicallyWith(sql.withTransaction)

      return Transactions.of({
        atomically,
        exclusively: (lock, effect) =>
          inTurn(queues[lock])(
            atomically(Effect.andThen(Effect.orDie(sql`SELECT ${advisoryLock(sql, `portico/${lock}`)}`), effect))
          )
      })
    })
  )
}
