import { Clock, Context, Duration, Effect, Exit, Fiber, Latch, Layer, Option, Scope } from "effect"

/**
 * The time, from the beginning of a shutdown, after which nothing waits any longer for a part of the process. What it has
 * not ended by then is left as a kill would leave it: another replica takes it up. Together they stay below 30 seconds,
 * which most platforms give a process.
 */
export const stopDeadlines = {
  /** Rounds of background jobs. */
  jobs: Duration.seconds(1),
  /** Answers: after it, requests that still undo something are told that the process stops. */
  answers: Duration.seconds(22),
  /** Open requests, which get 20 seconds of it, and what they undo or have begun. */
  requests: Duration.seconds(23),
  /** Events that wait to be published. */
  events: Duration.millis(27_500),
  /** Threads that serve planes, each with the deadlines above. */
  threads: Duration.millis(28_500),
  /** Everything that has a shutdown of its own. */
  rest: Duration.millis(29_500),
  /** The process. */
  process: Duration.seconds(30)
} as const

/**
 * Whether this process is shutting down. Long responses then end by themselves, while there is time
 * to send their end.
 */
export class Stopping extends Context.Service<
  Stopping,
  {
    readonly hasBegun: () => boolean
    readonly begin: () => void
    /** Completes when the shutdown has begun. */
    readonly begun: Effect.Effect<void>
    /** What is left of a time from the beginning of the shutdown; the question begins it. */
    readonly left: (until: Duration.Duration) => Duration.Duration
  }
>()("portico/domain/health/Stopping") {
  static readonly layer = Layer.effect(
    Stopping,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const latch = yield* Latch.make()
      let beganAt: number | undefined
      const begin = () => {
        latch.openUnsafe()
        return (beganAt ??= clock.currentTimeMillisUnsafe())
      }
      return Stopping.of({
        hasBegun: () => latch.isOpen(),
        begin,
        begun: latch.await,
        left: (until) => {
          const passed = clock.currentTimeMillisUnsafe() - begin()
          return Duration.millis(Math.max(0, Duration.toMillis(until) - passed))
        }
      })
    })
  )

  /** Must be above the servers, so that its finalizer runs first. */
  static readonly noticed = Layer.effectDiscard(
    Effect.flatMap(Stopping, ({ begin }) => Effect.addFinalizer(() => Effect.sync(begin)))
  )
}

/**
 * The same layer, for whose release a shutdown waits no longer than until that time from its beginning. The release
 * goes on behind it, beside those of the layers below, until the process ends.
 */
export const releasedBy =
  (deadline: Duration.Duration) =>
  <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R | Stopping> =>
    Layer.fromBuildMemo((memoMap, scope) =>
      Effect.gen(function* () {
        const { left } = yield* Stopping
        const own = yield* Scope.make()
        const release = Effect.fnUntraced(function* (exit: Exit.Exit<unknown, unknown>) {
          const closing = yield* Effect.forkDetach(Scope.close(own, exit))
          const ended = yield* Effect.timeoutOption(Fiber.await(closing), left(deadline))
          if (Option.isNone(ended)) {
            const seconds = Duration.toSeconds(deadline)
            yield* Effect.logWarning(`the stop leaves what has not ended within ${seconds} seconds to other replicas`)
          }
        })
        yield* Scope.addFinalizerExit(scope, release)
        return yield* Layer.buildWithMemoMap(layer, memoMap, own)
      })
    )
