import { CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { NatGateways } from "@portico/contract/NatGateways"
import { createNatGateway, removeNatGateway } from "@portico/domain/nat/change"
import { listNatGateways, showNatGateway } from "@portico/domain/nat/list"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const NatGatewaysHandlers = HttpApiBuilder.group(apiOf(NatGateways), "nat-gateways", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: () => Effect.flatMap(CurrentTenant, (_) => listNatGateways(_.projectId)),
      create: () => Effect.flatMap(CurrentTenant, (_) => createNatGateway(_.projectId)),
      show: ({ params }) => Effect.flatMap(CurrentTenant, (_) => showNatGateway(_.projectId, params.ngw_id)),
      remove: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeNatGateway(_.projectId, params.ngw_id))
    })
  )
)
