import { CurrentTenant } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { showHistory } from "@portico/domain/metrics/history"
import { showCapacity } from "@portico/domain/monitoring/capacity"
import { showFleet } from "@portico/domain/monitoring/fleet"
import { showOverview } from "@portico/domain/monitoring/overview"
import { showUpstreams } from "@portico/domain/monitoring/upstreams"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const MetricsHandlers = HttpApiBuilder.group(OperatorApi, "metrics", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      history: ({ params, query }) => Effect.flatMap(CurrentTenant, (_) => showHistory(_.projectId, params.id, query))
    })
  )
)

export const MonitoringHandlers = HttpApiBuilder.group(OperatorApi, "monitoring", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      overview: () => showOverview(),
      fleet: () => showFleet(),
      upstreams: () => showUpstreams(),
      capacity: () => showCapacity()
    })
  )
)
