import { TooManyRequests } from "@portico/contract/Failures"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer, PartitionedSemaphore, type Scope } from "effect"
import { ceiling } from "../limits/ceiling.ts"
import { Slots } from "../limits/Slots.ts"

/** The pages that all streams behind the log's end together read at once: each of them reads as fast as it can. */
const behindAtOnce = 2

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
    /** Reads a page for a stream that is behind the log's end. Such streams take turns, and so do their tenants. */
    catchUp<A, E, R>(projectId: string | undefined, page: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("portico/domain/events/Watchers") {
  static readonly layer = Layer.effect(
    Watchers,
    Effect.gen(function* () {
      const ofOne = yield* ceiling("EVENT_STREAMS_PER_TENANT", 20)
      const slots = yield* Slots.make("event streams", ofOne, yield* ceiling("EVENT_STREAMS_TOTAL", 1000))
      const behind = yield* PartitionedSemaphore.make<string>({ permits: behindAtOnce })
      const counted = yield* metricsRegistry
      counted.gauge("portico_event_streams", "Open live event streams.", {}, () => slots.all)
      const refused = { ofOne: TooManyRequests.eventStreams, inAll: TooManyRequests.eventStreamsInAll }
      return Watchers.of({
        enter: (projectId) => slots.enter(projectId, refused),
        catchUp: (projectId, page) => behind.withPermit(projectId ?? "")(page)
      })
    })
  )
}
