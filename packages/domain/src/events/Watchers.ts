import { TooManyRequests, Unavailable } from "@portico/contract/Failures"
import { series } from "@portico/upstream/Series"
import { Config, Context, Effect, Layer, type Scope } from "effect"

/** Who watches events live, with this process: as many as it can hold, and of each tenant as many as leave room for the others. */
export class Watchers extends Context.Service<
  Watchers,
  {
    /**
     * Takes a place until the scope ends; administrators share one tenant's worth.
     *
     * Errors: 429 when the tenant has all of its places taken; 503 when nobody has one.
     */
    enter(projectId: string | undefined): Effect.Effect<void, TooManyRequests | Unavailable, Scope.Scope>
  }
>()("portico/domain/events/Watchers") {
  static readonly layer = Layer.effect(
    Watchers,
    Effect.gen(function* () {
      const most = yield* Config.Int("EVENT_STREAMS_PER_TENANT").pipe(Config.withDefault(20))
      const mostInAll = yield* Config.Int("EVENT_STREAMS_TOTAL").pipe(Config.withDefault(1000))
      const places = new Map<string | undefined, number>()
      let all = 0
      const counted = yield* series
      counted.gauge("portico_event_streams", "Live event streams that are open.", {}, () => all)

      const take = (projectId: string | undefined) =>
        Effect.gen(function* () {
          const own = places.get(projectId) ?? 0
          if (own >= most) return yield* TooManyRequests.eventStreams(most)
          if (all >= mostInAll) return yield* Unavailable.eventStreams()
          places.set(projectId, own + 1)
          all += 1
        })
      const leave = (projectId: string | undefined) =>
        Effect.sync(() => {
          const left = (places.get(projectId) ?? 1) - 1
          if (left === 0) places.delete(projectId)
          else places.set(projectId, left)
          all -= 1
        })
      return Watchers.of({
        enter: (projectId) => Effect.acquireRelease(take(projectId), () => leave(projectId))
      })
    })
  )
}
