import { Conflict, NotFound } from "@portico/contract/Failures"
import { type Interface, Nat, type Router } from "@portico/upstream/neutron/Nat"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Data, Effect, Schedule } from "effect"
import { refusal } from "../refusal.ts"
import { tiers } from "@portico/contract/Tiers"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { tierOf } from "../limits/tenantTier.ts"
import { fieldsOf, gatewayId, isGateway, toWire, routersOf, tenantRouter } from "./routers.ts"
import type { NatGatewayDeleted } from "@portico/contract/NatGateways"

class NotWritten extends Data.TaggedError("NotWritten")<{ readonly error: UpstreamError }> {
  /** Whether another attempt may find that the write took effect, or what to write instead. */
  get mayPass(): boolean {
    const { status, transient, unsettled } = this.error
    return transient || unsettled || status === 404 || status === 412
  }
}

/** Turns SNAT on or off. The last step of a {@link changing}. */
export const writeSnat = Effect.fnUntraced(function* (router: Router, networkId: string, snat: boolean) {
  return yield* Effect.mapError((yield* Nat).setSnat({ router, networkId, snat }), (error) => new NotWritten({ error }))
})

/**
 * Runs a change that reads the routers first and writes one of them last. It
 * starts again when the router was changed in between (412), is gone (404), or
 * when the answer was lost: the next read then shows what the write did.
 * Neutron checks the router's revision number on a write, so a change never
 * overwrites another one unseen, and no lock is needed.
 *
 * Errors: the change's own, and an upstream's failure as {@link refusal} maps
 * it.
 */
export const changing = <A, E extends NotFound | Conflict, R>(
  change: Effect.Effect<A, E | NotWritten | UpstreamError, R>
) =>
  change.pipe(
    Effect.retry({
      times: 3,
      schedule: Schedule.exponential("100 millis"),
      while: (error) => error._tag === "NotWritten" && error.mayPass
    }),
    Effect.mapError((error) => {
      if (error instanceof UpstreamError) return refusal(error)
      if (!(error instanceof NotWritten)) return error
      return error.error.status === 412 ? Conflict.concurrentChange("the tenant's router") : refusal(error.error)
    })
  )

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
    if (isGateway(router)) return toWire(router, interfaces)

    const used = routers.filter(isGateway).length
    if (used + 1 > limit) return yield* Conflict.ceilingReached("NAT gateways", "", { requested: 1, used, limit })

    const networkId = router.uplink?.networkId ?? (yield* (yield* Neutron).externalNetwork)
    const written = yield* writeSnat(router, networkId, true)
    return isGateway(written) ? toWire(written, interfaces) : yield* Conflict.concurrentChange("the tenant's router")
  })
  return yield* changing(enable)
})

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
