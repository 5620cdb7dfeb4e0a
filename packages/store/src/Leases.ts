import { Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { momentsOf } from "./rows.ts"

/** Somebody else holds it, and did not let go in time; or the work took longer than it may. */
export class Held extends Schema.TaggedError<Held>()("Held", { name: Schema.String }) {}

/** A process that dies in the middle keeps the others out no longer. */
export const leaseTime = Duration.minutes(2)

/** Work under a lease ends before the lease does, whatever it waits for. */
export const workTime = Duration.seconds(90)

/** How long somebody waits for their turn, unless they say otherwise. */
export const patience = Duration.seconds(10)

/** Between two looks whether it is free. */
const step = Duration.millis(50)

/**
 * One at a time, over all replicas: for what is read from an upstream, compared
 * and then changed there. A lease is a row and no lock of the database, so that
 * nobody holds a connection while an upstream thinks.
 */
export class Leases extends Context.Service<
  Leases,
  {
    /**
     * Runs the effect while nobody else holds the name, after waiting for up to
     * {@link patience}; it is given up after {@link workTime}.
     *
     * Errors: Held, beside the effect's own.
     */
    holding<A, E, R>(
      name: string,
      effect: Effect.Effect<A, E, R>,
      waiting?: Duration.Duration
    ): Effect.Effect<A, E | Held, R>
  }
>()("portico/store/Leases") {
  static readonly layer = Layer.effect(
    Leases,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { after, now } = momentsOf(sql)

      const take = Effect.fnUntraced(function* (name: string) {
        const lease = randomUUID()
        const taken = yield* Effect.orDie(sql`
          INSERT INTO leases (name, lease, lease_ends) VALUES (${name}, ${lease}, ${after(leaseTime)})
          ON CONFLICT (name) DO UPDATE SET lease = EXCLUDED.lease, lease_ends = EXCLUDED.lease_ends
            WHERE leases.lease_ends <= ${now}
          RETURNING lease`)
        return taken.length === 0 ? yield* new Held({ name }) : lease
      })

      const patiently = (waiting: Duration.Duration) => ({
        schedule: Schedule.spaced(step),
        times: Math.ceil(Duration.toMillis(waiting) / Duration.toMillis(step))
      })

      // Between the taking and the giving back nothing can interrupt unseen; a lost
      // answer to the taking is a lease that ends by itself.
      return Leases.of({
        holding: (name, effect, waiting = patience) =>
          Effect.acquireUseRelease(
            Effect.interruptible(Effect.retry(take(name), patiently(waiting))),
            () => withinWorkTime(name, effect),
            (lease) => Effect.orDie(sql`DELETE FROM leases WHERE name = ${name} AND lease = ${lease}`)
          )
      })
    })
  )
}

export const withinWorkTime = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Held, R> =>
  Effect.timeoutOrElse(effect, { duration: workTime, orElse: () => new Held({ name }) })
