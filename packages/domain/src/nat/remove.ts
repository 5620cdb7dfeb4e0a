import { Conflict, NotFound } from "@portico/contract/Failures"
import type { NatGatewayDeleted } from "@portico/contract/NatGateways"
import type { Interface, Router } from "@portico/upstream/neutron/Nat"
import { Effect } from "effect"
import { changing, writeSnat } from "./change.ts"
import { fieldsOf, gatewayId, isGateway, routersOf } from "./routers.ts"

/**
 * Turns SNAT off. The router keeps its uplink and its address, and floating
 * IPs go on working (contract, NAT gateways).
 *
 * Errors: 404 for what is no gateway of the tenant's, which one that is
 * deleted already is not either; 409 when somebody else keeps changing the
 * router; 422 and 502 in the network service's words.
 */
export const removeNatGateway = Effect.fn("nat.remove")(function* (projectId: string, id: string) {
  let asked = false

  const disable = Effect.gen(function* () {
    const { interfaces, routers } = yield* routersOf(projectId)
    const router = routers.find((_) => gatewayId(_) === id)
    // A write whose answer was lost, and which has taken effect.
    if (asked && router?.uplink?.snat === false) return yield* deleted(router, interfaces)
    if (router === undefined || !isGateway(router)) return yield* NotFound.natGateway(id)
    asked = true
    return yield* deleted(yield* writeSnat(router, router.uplink.networkId, false), interfaces)
  })
  return yield* changing(disable)
})

const deleted = Effect.fnUntraced(function* (router: Router, interfaces: ReadonlyArray<Interface>) {
  const { uplink } = router
  if (uplink === null || uplink.snat) return yield* Conflict.concurrentChange("the tenant's router")
  return { state: "deleted", ...fieldsOf(router, uplink, interfaces) } satisfies NatGatewayDeleted
})
