import { CurrentTenant } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { createNatGateway } from "@portico/domain/nat/create"
import { listNatGateways, showNatGateway } from "@portico/domain/nat/list"
import { removeNatGateway } from "@portico/domain/nat/remove"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const NatGatewaysHandlers = HttpApiBuilder.group(OperatorApi, "nat-gateways", (handlers) =>
  handlers
    .handle("list", () => Effect.flatMap(CurrentTenant, (_) => listNatGateways(_.projectId)))
    .handle("create", () => Effect.flatMap(CurrentTenant, (_) => createNatGateway(_.projectId)))
    .handle("show", ({ params }) => Effect.flatMap(CurrentTenant, (_) => showNatGateway(_.projectId, params.ngw_id)))
    .handle("remove", ({ params }) =>
      Effect.flatMap(CurrentTenant, (_) => removeNatGateway(_.projectId, params.ngw_id))
    )
)
