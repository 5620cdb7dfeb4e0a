import { NotFound } from "@portico/contract/Failures"
import type { NatGatewayList } from "@portico/contract/NatGateways"
import { Nat } from "@portico/upstream/neutron/Nat"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { isGateway, toWire, routersOf } from "./routers.ts"

/**
 * The NAT gateways of a tenant (contract, NAT gateways): none while it has no
 * router with an uplink, and none while SNAT is off.
 *
 * Errors: 502.
 */
export const listNatGateways = Effect.fn("nat.list")(
  function* (projectId: string) {
    const { interfaces, routers } = yield* routersOf(projectId)
    const nat_gateways = routers.filter(isGateway).map((_) => toWire(_, interfaces))
    return { count: nat_gateways.length, nat_gateways } satisfies NatGatewayList
  },
  Effect.catchTag("UpstreamError", badGateway)
)

/**
 * One of the tenant's own gateways. Another tenant's id, an unknown one and a
 * malformed one are looked up in the same list and are not found.
 *
 * Errors: 404, 502.
 */
export const showNatGateway = Effect.fn("nat.show")(function* (projectId: string, id: string) {
  const { nat_gateways } = yield* listNatGateways(projectId)
  return nat_gateways.find((_) => _.ngw_id === id) ?? (yield* NotFound.natGateway(id))
})

/**
 * How many NAT gateways the tenant has, according to the network service.
 *
 * Errors: UpstreamError.
 */
export const natUsage = Effect.fn("nat.usage")(function* (projectId: string) {
  return (yield* (yield* Nat).routers(projectId)).filter(isGateway).length
})
