import { OperatorApi } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { onboard } from "@portico/domain/onboarding/onboard"
import { listTenants } from "@portico/domain/tenants/list"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { HttpApiBuilder } from "effect/http-api"

export const TenantsHandlers = HttpApiBuilder.group(OperatorApi, "tenants", (handlers) =>
  handlers
    .handle("list", ({ query }) => listTenants(pageRequestOf(query)))
    .handle("onboard", ({ payload }) => onboard(payload))
    .handle("moveTier", ({ params, payload }) => moveTier(params.project_id, payload.tier))
    .handle("suspend", ({ params }) => suspend(params.project_id))
)
