import { Conflict, NotFound } from "@portico/contract/Failures"
import { tiers } from "@portico/contract/Tiers"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Effect } from "effect"
import { tierOf } from "../ceilings/tenantTier.ts"
import { changing, writeSnat } from "./change.ts"
import { isGateway, natGateway, routersOf, tenantRouter } from "./routers.ts"

/**
 * Turns SNAT on at the tenant's router, or returns the gateway that exists
 * (contract, NAT gateways). A router with an uplink keeps it with its address;
 * a router without one gets the platform's.
 *
 * Errors: 404 when the tenant has no router; 409 with the numbers when the tier
 * allows no more gateways, and 409 when other clients keep changing the router;
 * 422 and 502 with the network service's message; 503 when the tier cannot be
 * read.
 */
export const createNatGateway = Effect.fn("nat.create")(function* (projectId: string) {
  const { suspended, tier } = yield* tierOf(projectId)
  const limit = suspended ? 0 : tiers[tier].nat_gateways

  const enable = Effect.gen(function* () {
    const { interfaces, routers } = yield* routersOf(projectId)
    const router = yield* tenantRouter(projectId, routers)
    if (router === undefined) return yield* NotFound.router()
    if (isGateway(router)) return natGateway(router, interfaces)

    const used = routers.filter(isGateway).length
    if (used + 1 > limit) return yield* Conflict.ceilingReached("NAT gateways", "", { requested: 1, used, limit })

    const networkId = router.uplink?.networkId ?? (yield* (yield* Neutron).externalNetwork)
    const written = yield* writeSnat(router, networkId, true)
    return isGateway(written)
      ? natGateway(written, interfaces)
      : yield* Conflict.concurrentChange("the tenant's router")
  })
  return yield* changing(enable)
})
