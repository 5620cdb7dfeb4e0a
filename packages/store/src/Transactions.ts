import { Context, Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"

/** The things that only one replica at a time may decide. */
export type Lock = "admission"

/** The failures of BEGIN and COMMIT are told apart from the effect's own by their place in the tuple. */
export const atomicallyWith =
  (withTransaction: SqlClient.SqlClient["withTransaction"]) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    withTransaction(Effect.mapError(effect, (error) => ({ domain: error }))).pipe(
      Effect.catch((failure) => ("domain" in failure ? Effect.fail(failure.domain) : Effect.die(failure)))
    )

/** All or nothing, and one at a time. A database that does not answer is a defect. */
export class Transactions extends Context.Service<
  Transactions,
  {
    /** What the effect writes becomes visible together, or not at all when it fails. */
    atomically<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    /** {@link atomically}, and across all replicas nobody else is inside the same lock. */
    exclusively<A, E, R>(lock: Lock, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("portico/store/Transactions") {
  static readonly layer = Layer.effect(
    Transactions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Only one fiber of this process waits for the database's lock, so that a queue here
      // does not take every connection from those who only want to know who calls.
      const queues: Readonly<Record<Lock, Semaphore.Semaphore>> = { admission: yield* Semaphore.make(1) }

      const atomically = atomicallyWith(sql.withTransaction)

      return Transactions.of({
        atomically,
        exclusively: (lock, effect) =>
          queues[lock].withPermits(1)(
            atomically(
              Effect.andThen(Effect.orDie(sql`SELECT pg_advisory_xact_lock(hashtext(${`portico/${lock}`}))`), effect)
            )
          )
      })
    })
  )
}
