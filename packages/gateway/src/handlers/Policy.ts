import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { Policy } from "@portico/contract/Policy"
import { effective } from "@portico/domain/policy/effective"
import { place, takeOut } from "@portico/domain/policy/members"
import { listPolicies, putPolicy, removePolicy } from "@portico/domain/policy/policies"
import { createUnit, listUnits, removeUnit } from "@portico/domain/policy/units"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const PolicyHandlers = HttpApiBuilder.group(apiOf(Policy), "policy", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      listUnits: ({ query }) =>
        Effect.flatMap(CurrentCaller, (caller) => listUnits(caller, query.project_id, pageRequestOf(query))),
      createUnit: ({ payload, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => createUnit(caller, query.project_id, payload.path)),
      removeUnit: ({ params, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => removeUnit(caller, query.project_id, params.path)),
      place: ({ params, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => place(caller, query.project_id, params.path, params.id)),
      takeOut: ({ params, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => takeOut(caller, query.project_id, params.path, params.id)),
      listPolicies: ({ query }) =>
        Effect.flatMap(CurrentCaller, (caller) => listPolicies(caller, query.project_id, pageRequestOf(query))),
      putPolicy: ({ payload, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => putPolicy(caller, query.project_id, payload)),
      removePolicy: ({ query }) =>
        Effect.flatMap(CurrentCaller, (caller) => removePolicy(caller, query.project_id, query.ou)),
      effective: ({ query: { project_id, ...request } }) =>
        Effect.flatMap(CurrentCaller, (caller) => effective(caller, project_id, request))
    })
  )
)
