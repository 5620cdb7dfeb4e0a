import type { Caller } from "@portico/contract/Access"
import { TooManyRequests } from "@portico/contract/Failures"
import { ceiling } from "@portico/domain/ceilings/ceiling"
import { Places } from "@portico/domain/ceilings/Places"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Effect } from "effect"

/**
 * What tenants have open with the cluster's API through this process: watches,
 * followed logs, upgraded connections, and whatever a `proxy` sub-resource
 * leads to. Each holds two connections for as long as it goes on.
 *
 * @returns takes a place until the scope ends, or fails with 429; administrators share one tenant's worth
 */
export const clusterStreams = Effect.gen(function* () {
  const ofOne = yield* ceiling("KUBERNETES_STREAMS_PER_TENANT", 100)
  const places = new Places(ofOne, yield* ceiling("KUBERNETES_STREAMS_TOTAL", 2000))
  const counted = yield* metricsRegistry
  counted.gauge(
    "portico_kubernetes_streams",
    "Watches, followed logs and upgraded connections to the cluster that are open.",
    {},
    () => places.all
  )
  const refused = { ofOne: TooManyRequests.clusterStreams, inAll: TooManyRequests.clusterStreamsInAll }
  return ({ tenant }: Caller) => places.enter(tenant?.projectId, refused)
})
