import { Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { momentsOf, some } from "./rows.ts"

/** Another process or fiber held the lease for the whole wait, or the work exceeded {@link workTime}. */
export class Held extends Schema.TaggedError<Held>()("Held", { name: Schema.String }) {}

/** The lease of a dead process blocks others for at most this long. */
export const leaseTime = Duration.minutes(2)

/** The time-out of work under a lease. It is shorter than the lease, so that the work ends first. */
export const workTime = Duration.seconds(90)

/** Within the effect of `holding`: whether the process still holds the lease, as the store says it now. */
export const LeaseHeld = Context.Reference<Effect.Effect<boolean> | undefined>("portico/store/LeaseHeld", {
  defaultValue: () => undefined
})

/** How long a caller waits for the lease by default. */
export const waitTime = Duration.seconds(10)

/** The interval between attempts to take the lease. */
const pollInterval = Duration.millis(50)

/**
 * Mutual exclusion across all replicas, for read-compare-write on an upstream.
 * A lease is a row and not a database lock, so that it needs no connection
 * during upstream calls.
 */
export class Leases extends Context.Service<
  Leases,
  {
    /**
     * Runs the effect while it holds the name, after waiting for up to
     * {@link waitTime}. The effect times out after {@link workTime}.
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

      const polling = (waiting: Duration.Duration) => ({
        schedule: Schedule.spaced(pollInterval),
        times: Math.ceil(Duration.toMillis(waiting) / Duration.toMillis(pollInterval))
      })

      // An interruption releases the lease too. When the answer to the taking is lost, the lease expires by itself.
      return Leases.of({
        holding: (name, effect, waiting = waitTime) =>
          Effect.acquireUseRelease(
            Effect.interruptible(Effect.retry(take(name), polling(waiting))),
            (lease) =>
              withinWorkTime(name, effect).pipe(
                Effect.provideService(
                  LeaseHeld,
                  some(sql`SELECT 1 FROM leases WHERE name = ${name} AND lease = ${lease} AND lease_ends > ${now}`)
                )
              ),
            (lease) => Effect.orDie(sql`DELETE FROM leases WHERE name = ${name} AND lease = ${lease}`)
          )
      })
    })
  )
}

export const withinWorkTime = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Held, R> =>
  Effect.timeoutOrElse(effect, { duration: workTime, orElse: () => new Held({ name }) })
