import { Conflict, NotFound } from "@portico/contract/Failures"
import type { NatGatewayDeleted } from "@portico/contract/NatGateways"
import type { Interface, Router } from "@portico/upstream/neutron/Nat"
import { Effect } from "effect"
import { changing, writeSnat } from "./change.ts"
import { fieldsOf, gatewayId, isGateway, routersOf } from "./routers.ts"

/**
 * Turns SNAT off. The router keeps its uplink and its address, and floating IPs
 * go on working (contract, NAT gateways).
 *
 * Errors: 404 for an id that is not a gateway of the tenant, an already deleted
 * one included; 409 when other clients keep changing the router; 422 and 502
 * with the network service's message.
 */
export const removeNatGateway = Effect.fn("nat.remove")(function* (projectId: string, id: string) {
  let attempted = false

  const disable = Effect.gen(function* () {
    const { interfaces, routers } = yield* routersOf(projectId)
    const router = routers.find((_) => gatewayId(_) === id)
    // An earlier write took effect, and its answer was lost.
    if (attempted && router?.uplink?.snat === false) return yield* deleted(router, interfaces)
    if (router === undefined || !isGateway(router)) return yield* NotFound.natGateway(id)
    attempted = true
    return yield* deleted(yield* writeSnat(router, router.uplink.networkId, false), interfaces)
  })
  return yield* changing(disable)
})

const deleted = Effect.fnUntraced(function* (router: Router, interfaces: ReadonlyArray<Interface>) {
  const { uplink } = router
  if (uplink === null || uplink.snat) return yield* Conflict.concurrentChange("the tenant's router")
  return { state: "deleted", ...fieldsOf(router, uplink, interfaces) } satisfies NatGatewayDeleted
})
