import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Status, Incidents } from "@portico/contract/Status"
import type { Plane } from "@portico/domain/health/readiness"
import { createIncident, removeIncident } from "@portico/domain/status/incidents"
import { showStatus } from "@portico/domain/status/show"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const StatusHandlers = (plane: Plane) =>
  HttpApiBuilder.group(apiOf(Status), "status", (handlers) =>
    handlers.handleAll(exact(handlers, { show: () => showStatus(plane) }))
  )

export const IncidentsHandlers = HttpApiBuilder.group(apiOf(Incidents), "incidents", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      create: ({ payload }) => Effect.flatMap(CurrentCaller, (caller) => createIncident(caller, payload)),
      remove: ({ params }) => removeIncident(params.incident_id)
    })
  )
)
