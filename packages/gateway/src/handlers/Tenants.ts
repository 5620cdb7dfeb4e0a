import { apiOf } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { Tenants } from "@portico/contract/Tenants"
import { onboard } from "@portico/domain/onboarding/onboard"
import { listTenants } from "@portico/domain/tenants/list"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const TenantsHandlers = HttpApiBuilder.group(apiOf(Tenants), "tenants", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => listTenants(pageRequestOf(query)),
      onboard: ({ payload }) => onboard(payload),
      moveTier: ({ params, payload }) => moveTier(params.project_id, payload.tier),
      suspend: ({ params }) => suspend(params.project_id)
    })
  )
)
