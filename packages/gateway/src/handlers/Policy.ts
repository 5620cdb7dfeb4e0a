import { CurrentCaller } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { effective } from "@portico/domain/policy/effective"
import { place, takeOut } from "@portico/domain/policy/members"
import { listPolicies, putPolicy, removePolicy } from "@portico/domain/policy/policies"
import { createUnit, listUnits, removeUnit } from "@portico/domain/policy/units"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const PolicyHandlers = HttpApiBuilder.group(OperatorApi, "policy", (handlers) =>
  handlers
    .handle("listUnits", ({ query }) =>
      Effect.flatMap(CurrentCaller, (caller) => listUnits(caller, query.project_id, pageRequestOf(query)))
    )
    .handle("createUnit", ({ payload, query }) =>
      Effect.flatMap(CurrentCaller, (caller) => createUnit(caller, query.project_id, payload.path))
    )
    .handle("removeUnit", ({ params, query }) =>
      Effect.flatMap(CurrentCaller, (caller) => removeUnit(caller, query.project_id, params.path))
    )
    .handle("place", ({ params, query }) =>
      Effect.flatMap(CurrentCaller, (caller) => place(caller, query.project_id, params.path, params.id))
    )
    .handle("takeOut", ({ params, query }) =>
      Effect.flatMap(CurrentCaller, (caller) => takeOut(caller, query.project_id, params.path, params.id))
    )
    .handle("listPolicies", ({ query }) =>
      Effect.flatMap(CurrentCaller, (caller) => listPolicies(caller, query.project_id, pageRequestOf(query)))
    )
    .handle("putPolicy", ({ payload, query }) =>
      Effect.flatMap(CurrentCaller, (caller) => putPolicy(caller, query.project_id, payload))
    )
    .handle("removePolicy", ({ query }) =>
      Effect.flatMap(CurrentCaller, (caller) => removePolicy(caller, query.project_id, query.ou))
    )
    .handle("effective", ({ query: { project_id, ...asked } }) =>
      Effect.flatMap(CurrentCaller, (caller) => effective(caller, project_id, asked))
    )
)
