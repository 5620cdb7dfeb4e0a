import { CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Edge } from "@portico/contract/Edge"
import { createExposure } from "@portico/domain/edge/create"
import { listExposures, showExposure } from "@portico/domain/edge/list"
import { removeExposure } from "@portico/domain/edge/remove"
import { resyncExposures } from "@portico/domain/edge/resync"
import { verifyExposure } from "@portico/domain/edge/verify"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const EdgeHandlers = HttpApiBuilder.group(apiOf(Edge), "edge", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: () => Effect.flatMap(CurrentTenant, (_) => listExposures(_.projectId)),
      create: ({ payload }) => Effect.flatMap(CurrentTenant, (_) => createExposure(_.projectId, payload)),
      show: ({ params }) => Effect.flatMap(CurrentTenant, (_) => showExposure(_.projectId, params.exposure_id)),
      remove: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeExposure(_.projectId, params.exposure_id)),
      verify: ({ params }) => Effect.flatMap(CurrentTenant, (_) => verifyExposure(_.projectId, params.exposure_id)),
      resync: () => Effect.flatMap(CurrentTenant, (_) => resyncExposures(_.projectId))
    })
  )
)
