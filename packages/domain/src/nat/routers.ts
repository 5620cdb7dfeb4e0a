import type { NatGateway } from "@portico/contract/NatGateways"
import { Tenants } from "@portico/store/Tenants"
import { type Interface, Nat, type Router, type Uplink } from "@portico/upstream/neutron/Nat"
import { Effect } from "effect"
import { isIPv4 } from "node:net"

/** A router with an uplink and SNAT on. */
export interface Gateway extends Router {
  readonly uplink: Uplink & { readonly snat: true }
}

/**
 * A NAT gateway is a router of the project that has an uplink with SNAT on.
 * Tenants cannot give a router an uplink, so the platform made every router
 * that has one.
 */
export const isGateway = (router: Router): router is Gateway => router.uplink?.snat === true

export const gatewayId = (router: Router): string => `ngw-${router.id}`

/**
 * The tenant's router: the one made at onboarding, or the one that the platform
 * put in its place. The tenant can rename its routers and copy a description,
 * but cannot give a router an uplink. An uplink therefore ranks above the
 * stamp, and the stamp above the name. For a tenant that was not onboarded
 * here, only the uplink counts.
 */
export const tenantRouter = Effect.fnUntraced(function* (projectId: string, routers: ReadonlyArray<Router>) {
  const tenant = yield* (yield* Tenants).find(projectId)
  const marks = (router: Router): number =>
    tenant === undefined ? 0 : router.description === tenant.stamp ? 2 : router.name === `${tenant.slug}-router` ? 1 : 0
  const rank = (router: Router): number => (router.uplink === null ? 0 : 3) + marks(router)
  // The sort is stable: of two routers of equal rank the older one stays in front.
  return routers.filter((_) => rank(_) > 0).toSorted((a, b) => rank(b) - rank(a))[0]
})

/** The routers of a project, and the interfaces of all of them. */
export const routersOf = Effect.fnUntraced(function* (projectId: string) {
  const nat = yield* Nat
  const [routers, interfaces] = yield* Effect.all([nat.routers(projectId), nat.interfaces(projectId)], {
    concurrency: 2
  })
  return { routers, interfaces }
})

export const toWire = (router: Gateway, interfaces: ReadonlyArray<Interface>): NatGateway => ({
  state: "active",
  ...fieldsOf(router, router.uplink, interfaces)
})

export const fieldsOf = (router: Router, uplink: Uplink, interfaces: ReadonlyArray<Interface>) => {
  const own = interfaces.filter((_) => _.routerId === router.id)
  return {
    ngw_id: gatewayId(router),
    router_id: router.id,
    network_id: own[0]?.networkId ?? null,
    subnet_ids: own.flatMap((_) => _.subnetIds),
    external_network_id: uplink.networkId,
    public_ip: uplink.addresses.find(isIPv4) ?? uplink.addresses[0] ?? null,
    public_ips: uplink.addresses
  }
}

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
