import { Nat } from "@portico/upstream/neutron/Nat"
import { Effect } from "effect"
import { isGateway, tenantRouter } from "./routers.ts"

/**
 * Whether the tenant's router leads outside without SNAT, as a tenant that
 * deleted its NAT gateway left it.
 *
 * Errors: UpstreamError.
 */
export const natIsOff = Effect.fnUntraced(function* (projectId: string) {
  const router = yield* tenantRouter(projectId, yield* (yield* Nat).routers(projectId))
  return router?.uplink?.snat === false
})

/**
 * A router that is made again comes with SNAT, as at the onboarding; this
 * brings back that the tenant wants none. Repeatable.
 *
 * Errors: UpstreamError.
 */
export const keepNatOff = Effect.fnUntraced(function* (projectId: string) {
  const nat = yield* Nat
  const router = yield* tenantRouter(projectId, yield* nat.routers(projectId))
  if (router === undefined || !isGateway(router)) return
  yield* nat.setSnat({ router, networkId: router.uplink.networkId, snat: false })
})
