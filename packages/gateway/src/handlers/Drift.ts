import { apiOf } from "@portico/contract/Api"
import { Drift } from "@portico/contract/Drift"
import { pageRequestOf } from "@portico/contract/Page"
import { repair } from "@portico/domain/drift/repair"
import { drift } from "@portico/domain/drift/show"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const DriftHandlers = HttpApiBuilder.group(apiOf(Drift), "drift", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      show: ({ query }) => drift(query.project_id, pageRequestOf(query)),
      repair: ({ params }) => repair(params.project_id)
    })
  )
)
