import type { Caller } from "@portico/contract/Access"
import { TooManyRequests } from "@portico/contract/Failures"
import { ceiling } from "@portico/domain/limits/ceiling"
import { Slots } from "@portico/domain/limits/Slots"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Effect } from "effect"

/**
 * Limits the calls that tenants have open with the cluster's API through this process: watches, followed logs,
 * upgraded connections, and calls to a `proxy` sub-resource. Each holds two connections while it lasts.
 *
 * @returns a function that takes a slot until the scope ends, or fails with 429. All administrators together have the
 *   limit of one tenant
 */
export const clusterStreams = Effect.gen(function* () {
  const ofOne = yield* ceiling("KUBERNETES_STREAMS_PER_TENANT", 100)
  const slots = yield* Slots.make("cluster streams", ofOne, yield* ceiling("KUBERNETES_STREAMS_TOTAL", 2000))
  const metrics = yield* metricsRegistry
  metrics.gauge(
    "portico_kubernetes_streams",
    "Open watches, followed logs and upgraded connections to the cluster.",
    {},
    () => slots.all
  )
  const refused = { ofOne: TooManyRequests.clusterStreams, inAll: TooManyRequests.clusterStreamsInAll }
  return ({ tenant }: Caller) => slots.enter(tenant?.projectId, refused)
})
