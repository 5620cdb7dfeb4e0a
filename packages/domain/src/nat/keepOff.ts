import { Nat } from "@portico/upstream/neutron/Nat"
import { Effect } from "effect"
import { isGateway, tenantRouter } from "./routers.ts"

/**
 * Whether the tenant's router has an uplink without SNAT: the state in which
 * deleting the NAT gateway leaves it.
 *
 * Errors: UpstreamError.
 */
export const natIsOff = Effect.fnUntraced(function* (projectId: string) {
  const router = yield* tenantRouter(projectId, yield* (yield* Nat).routers(projectId))
  return router?.uplink?.snat === false
})

/**
 * Turns SNAT off again after the router was recreated: the onboarding step
 * creates it with SNAT on, and this tenant had deleted its NAT gateway.
 * Repeatable.
 *
 * Errors: UpstreamError.
 */
export const keepNatOff = Effect.fnUntraced(function* (projectId: string) {
  const nat = yield* Nat
  const router = yield* tenantRouter(projectId, yield* nat.routers(projectId))
  if (router === undefined || !isGateway(router)) return
  yield* nat.setSnat({ router, networkId: router.uplink.networkId, snat: false })
})
