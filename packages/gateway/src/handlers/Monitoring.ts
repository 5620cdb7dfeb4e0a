import { CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Metrics } from "@portico/contract/Metrics"
import { Monitoring } from "@portico/contract/Monitoring"
import { showHistory } from "@portico/domain/metrics/history"
import { showCapacity } from "@portico/domain/monitoring/capacity"
import { showFleet } from "@portico/domain/monitoring/fleet"
import { showOverview } from "@portico/domain/monitoring/overview"
import { showUpstreams } from "@portico/domain/monitoring/upstreams"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const MetricsHandlers = HttpApiBuilder.group(apiOf(Metrics), "metrics", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      history: ({ params, query }) => Effect.flatMap(CurrentTenant, (_) => showHistory(_.projectId, params.id, query))
    })
  )
)

export const MonitoringHandlers = HttpApiBuilder.group(apiOf(Monitoring), "monitoring", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      overview: () => showOverview(),
      fleet: () => showFleet(),
      upstreams: () => showUpstreams(),
      capacity: () => showCapacity()
    })
  )
)
