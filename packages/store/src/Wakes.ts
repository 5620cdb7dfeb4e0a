import { Config, Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { PersistedQueue } from "effect/persistence"

/** What a wake is about: this closing of this account. */
export const Wake = Schema.Struct({ account: Schema.Int, closure: Schema.String })
export type Wake = typeof Wake.Type

/** The pause after a failure doubles from one minute up to this. */
const longestPause = Duration.hours(1)

const table = "portico_wakes"

/** A wake is not given up: who is woken says when nothing is left to do. The largest number that the column holds. */
const maxAttempts = 2_147_483_647

/**
 * Work that is due later: a wake is written down with the change that it
 * belongs to, survives every process, and is then handed to one replica at a
 * time until that one has succeeded. It may come twice, when a process died
 * just after it succeeded, so it only wakes: what there is to do is for the
 * account's row to say.
 */
export class Wakes extends Context.Service<
  Wakes,
  {
    /** In the transaction of the caller, if there is one. A second wake of the same id is none. */
    schedule(id: string, wake: Wake, delay: Duration.Duration): Effect.Effect<void>
    /**
     * Waits for a wake that is due. It is over when the effect succeeds, and
     * comes again after a growing pause when the effect fails, or at once,
     * elsewhere, when it is interrupted.
     */
    take<A, E, R>(woken: (wake: Wake, id: string) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("portico/store/Wakes") {
  /** Over whatever keeps the queue. */
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
          take: (woken) =>
            queue
              .take((wake, { id }) => Effect.mapError(woken(wake, id), (error) => ({ domain: error })))
              .pipe(
                Effect.catch((failure) => ("domain" in failure ? Effect.fail(failure.domain) : Effect.die(failure)))
              )
        })
    )
  ).pipe(Layer.provide(PersistedQueue.layer))

  /**
   * In a table with migrations of its own. A wake that this process offers is
   * seen at once; what is due otherwise, such as the wakes of a dead replica,
   * after four of the usual intervals at most.
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
