import { OperatorApi } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { repair } from "@portico/domain/drift/repair"
import { drift } from "@portico/domain/drift/show"
import { HttpApiBuilder } from "effect/http-api"

export const DriftHandlers = HttpApiBuilder.group(OperatorApi, "drift", (handlers) =>
  handlers
    .handle("show", ({ query }) => drift(query.project_id, pageRequestOf(query)))
    .handle("repair", ({ params }) => repair(params.project_id))
)
