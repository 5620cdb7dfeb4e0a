import { TooManyRequests } from "@portico/contract/Failures"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer, type Scope } from "effect"
import { ceiling, Places } from "../ceilings/Places.ts"

/** Limits the live event streams of this process: a total, and a number for each tenant that leaves room for others. */
export class Watchers extends Context.Service<
  Watchers,
  {
    /**
     * Takes a stream slot until the scope ends; all administrators together count as one tenant.
     *
     * Errors: 429 when the tenant or this process has no free slot.
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
      const places = yield* Places.make("event streams", ofOne, yield* ceiling("EVENT_STREAMS_TOTAL", 1000))
      const counted = yield* metricsRegistry
      counted.gauge("portico_event_streams", "Open live event streams.", {}, () => places.all)
      const refused = { ofOne: TooManyRequests.eventStreams, inAll: TooManyRequests.eventStreamsInAll }
      return Watchers.of({ enter: (projectId) => places.enter(projectId, refused) })
    })
  )
}
