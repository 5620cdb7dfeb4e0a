import { Config, Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { PersistedQueue } from "effect/persistence"

/** The subject of a wake: this closing of this account. */
export const Wake = Schema.Struct({ account: Schema.Int, closure: Schema.String })
export type Wake = typeof Wake.Type

/** The pause after a failure doubles from one minute up to this. */
const longestPause = Duration.hours(1)

const table = "portico_wakes"

/**
 * A wake is never given up: the handler succeeds when nothing is left to do.
 * This is the largest number that the column holds.
 */
const maxAttempts = 2_147_483_647

/**
 * Delayed work. A wake is stored with the change that it belongs to and
 * survives every process. It is then handed to one replica at a time until a
 * handler succeeds. It may arrive twice, when a process dies just after it
 * succeeded. So a wake carries no work of its own: the account's row says what
 * is left to do.
 */
export class Wakes extends Context.Service<
  Wakes,
  {
    /** Uses the caller's transaction if there is one. A second wake of the same id is ignored. */
    schedule(id: string, wake: Wake, delay: Duration.Duration): Effect.Effect<void>
    /**
     * Waits for a wake that is due. The wake completes when the effect
     * succeeds. It returns after a growing pause when the effect fails, or at
     * once, on another replica, when it is interrupted.
     */
    take<A, E, R>(handle: (wake: Wake, id: string) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("portico/store/Wakes") {
  /** Over any queue store. */
  static readonly overQueue = Layer.effect(
    Wakes,
    Effect.map(
      PersistedQueue.make({
        name: "accounts",
        schema: Wake,
        maxAttempts,
        retrySchedule: Schedule.min([Schedule.exponential("1 minute"), Schedule.spaced(longestPause)])
      }),
      (queue) =>
        Wakes.of({
          schedule: (id, wake, delay) => Effect.asVoid(Effect.orDie(queue.offer(wake, { id, delay }))),
          take: (handle) =>
            queue
              .take((wake, { id }) => Effect.mapError(handle(wake, id), (error) => ({ domain: error })))
              .pipe(
                Effect.catch((failure) => ("domain" in failure ? Effect.fail(failure.domain) : Effect.die(failure)))
              )
        })
    )
  ).pipe(Layer.provide(PersistedQueue.layer))

  /**
   * Over a database table with its own migrations. A wake that this process
   * offers is seen at once. Other wakes that are due, such as those of a dead
   * replica, are seen after at most four sweep intervals.
   */
  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      const interval = yield* Config.Int("SWEEP_SECONDS").pipe(Config.withDefault(15))
      const store = PersistedQueue.layerStoreSql({
        tableName: table,
        pollInterval: Duration.seconds(4 * interval),
        lockRefreshInterval: "1 minute",
        lockExpiration: "3 minutes"
      })
      return Layer.provide(Wakes.overQueue, store)
    })
  )
}
