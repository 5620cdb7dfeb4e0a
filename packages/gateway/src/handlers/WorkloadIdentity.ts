import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { unstored } from "@portico/contract/Unstored"
import { WorkloadIdentity, WorkloadIssuers } from "@portico/contract/WorkloadIdentity"
import { exchange } from "@portico/domain/workloadIdentity/exchange"
import { changeIssuer, listIssuers, registerIssuer, removeIssuer } from "@portico/domain/workloadIdentity/issuers"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const WorkloadIdentityHandlers = HttpApiBuilder.group(apiOf(WorkloadIdentity), "workload-identity", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      exchange: ({ payload }) =>
        CurrentCaller.pipe(
          Effect.flatMap((caller) => exchange(caller, payload)),
          Effect.map(unstored)
        )
    })
  )
)

export const WorkloadIssuersHandlers = HttpApiBuilder.group(apiOf(WorkloadIssuers), "workload-issuers", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => listIssuers(query),
      register: ({ payload }) => Effect.flatMap(CurrentCaller, (caller) => registerIssuer(caller, payload)),
      change: ({ params, payload }) => changeIssuer(params.issuer_id, payload),
      remove: ({ params }) => removeIssuer(params.issuer_id)
    })
  )
)
