import { TooManyRequests } from "@portico/contract/Failures"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer, type Scope } from "effect"
import { ceiling } from "../ceilings/ceiling.ts"
import { Places } from "../ceilings/Places.ts"

/** Who watches events live, with this process: as many as it can hold, and of each tenant as many as leave room for the others. */
export class Watchers extends Context.Service<
  Watchers,
  {
    /**
     * Takes a place until the scope ends; administrators share one tenant's worth.
     *
     * Errors: 429 when the tenant has all of its places taken, or this process has.
     */
    enter(
      projectId: string | undefined
    ): Effect.Effect<void, TooManyRequests<"event_streams_exhausted" | "event_streams_full">, Scope.Scope>
  }
>()("portico/domain/events/Watchers") {
  static readonly layer = Layer.effect(
    Watchers,
    Effect.gen(function* () {
      const ofOne = yield* ceiling("EVENT_STREAMS_PER_TENANT", 20)
      const places = new Places(ofOne, yield* ceiling("EVENT_STREAMS_TOTAL", 1000))
      const counted = yield* metricsRegistry
      counted.gauge("portico_event_streams", "Live event streams that are open.", {}, () => places.all)
      const refused = { ofOne: TooManyRequests.eventStreams, inAll: TooManyRequests.eventStreamsInAll }
      return Watchers.of({ enter: (projectId) => places.enter(projectId, refused) })
    })
  )
}
