import { assert, it } from "@effect/vitest"
import { createNatGateway, removeNatGateway } from "@portico/domain/nat/change"
import { listNatGateways, natUsage, showNatGateway } from "@portico/domain/nat/list"
import { suspend } from "@portico/domain/tenants/suspend"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { inTime } from "@portico/testing/clock"
import { type Acme, acmeBesideGlobex, carriedOut, condemned } from "../projects/purged.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

/** The routers that a project has, as Neutron holds them. */
const routersOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  return Object.values(world.neutron.routers).filter((_) => _.project_id === projectId)
})

/** The router of the onboarding; it is the tenant's only one. */
const routerOf = Effect.fnUntraced(function* (projectId: string) {
  const [router] = yield* routersOf(projectId)
  return router ?? (yield* Effect.die("the tenant has no router"))
})

/** What must never change: the network outside, the port there, and its addresses. */
const uplinkOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  const { gateway } = yield* routerOf(projectId)
  const port = world.neutron.ports[gateway?.port_id ?? ""]
  return { network: gateway?.network_id, port: port?.id, addresses: port?.fixed_ips.map((_) => _.ip_address) }
})

/** Another network outside, beside the one that is configured. */
const olderNetwork = Effect.gen(function* () {
  const { world } = yield* SimulatedCloud
  const outside = world.neutron.networks[fixtures.externalNetworkId]
  if (outside === undefined) return yield* Effect.die("there is no network outside")
  const id = "11111111-0000-4000-8000-000000000000"
  world.neutron.networks[id] = { ...outside, id, is_default: false }
  return id
})

/** As an operator does it. */
const moveTo = Effect.fnUntraced(function* (projectId: string, network_id: string) {
  const { world } = yield* SimulatedCloud
  const router = yield* routerOf(projectId)
  const port = world.neutron.ports[router.gateway?.port_id ?? ""]
  if (port === undefined || router.gateway === null) return yield* Effect.die("no uplink")
  world.neutron.ports[port.id] = { ...port, network_id }
  router.gateway = { ...router.gateway, network_id }
  router.revision_number += 1
})

const writes = Effect.map(
  Effect.flatMap(SimulatedCloud, (_) => _.calls),
  (calls) => calls.filter((_) => _.service === "neutron" && _.method !== "GET")
)

const isAbsent = Effect.fnUntraced(function* (projectId: string, id: string) {
  const words = { code: "nat_gateway_not_found", detail: `NAT gateway '${id}' not found` } as const
  assert.deepInclude(yield* Effect.flip(inTime(showNatGateway(projectId, id))), words)
  assert.deepInclude(yield* Effect.flip(inTime(removeNatGateway(projectId, id))), words)
})

it.effect("a tenant has a gateway from its onboarding, and a create returns it", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const cloud = yield* SimulatedCloud
    const { world } = cloud
    const router = yield* routerOf(projectId)
    const uplink = yield* uplinkOf(projectId)
    const [network] = Object.values(world.neutron.networks).filter((_) => _.project_id === projectId)
    const [subnet] = Object.values(world.neutron.subnets).filter((_) => _.project_id === projectId)
    const gateway = {
      ngw_id: `ngw-${router.id}`,
      state: "active",
      router_id: router.id,
      network_id: network?.id,
      subnet_ids: [subnet?.id],
      external_network_id: fixtures.externalNetworkId,
      public_ip: uplink.addresses?.[0],
      public_ips: uplink.addresses
    }
    assert.isString(gateway.public_ip)
    yield* cloud.clearCalls
    assert.deepStrictEqual<unknown>(yield* inTime(createNatGateway(projectId)), gateway)
    assert.deepStrictEqual<unknown>(yield* inTime(listNatGateways(projectId)), { count: 1, nat_gateways: [gateway] })
    assert.deepStrictEqual<unknown>(yield* inTime(showNatGateway(projectId, gateway.ngw_id)), gateway)
    assert.strictEqual(yield* inTime(natUsage(projectId)), 1)
    assert.deepStrictEqual(yield* writes, [])
  }).pipe(Effect.provide(Simulated))
)

it.effect("deleting it turns SNAT off alone, and creating it turns SNAT on alone", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { ngw_id, ...gateway } = yield* inTime(createNatGateway(projectId))
    const before = yield* uplinkOf(projectId)
    const deleted = yield* inTime(removeNatGateway(projectId, ngw_id))
    assert.deepStrictEqual<unknown>(deleted, { ...gateway, ngw_id, state: "deleted" })
    assert.strictEqual((yield* routerOf(projectId)).gateway?.enable_snat, false)
    assert.deepStrictEqual(yield* uplinkOf(projectId), before)
    assert.deepStrictEqual(yield* inTime(listNatGateways(projectId)), { count: 0, nat_gateways: [] })
    assert.strictEqual(yield* inTime(natUsage(projectId)), 0)
    yield* isAbsent(projectId, ngw_id)
    assert.deepStrictEqual<unknown>(yield* inTime(createNatGateway(projectId)), { ...gateway, ngw_id })
    assert.deepStrictEqual(yield* uplinkOf(projectId), before)
    assert.strictEqual((yield* routerOf(projectId)).gateway?.enable_snat, true)
  }).pipe(Effect.provide(Simulated))
)

it.effect("another tenant's id, an unknown and a malformed one are the same 404, without writes", () =>
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery")
    const globex = yield* tenantOf("discovery", "Globex")
    const { ngw_id } = yield* inTime(createNatGateway(globex))
    const cloud = yield* SimulatedCloud
    yield* cloud.clearCalls
    const ids = [ngw_id, `ngw-${acme}`, "ngw-", "", "../routers", ngw_id.slice(4), ngw_id.toUpperCase(), "\0"]
    for (const id of ids) yield* isAbsent(acme, id)
    assert.deepStrictEqual(yield* writes, [])
    assert.strictEqual((yield* routerOf(globex)).gateway?.enable_snat, true)
  }).pipe(Effect.provide(Simulated))
)

it.effect("routers that the tenant made do not count, with any name", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { world } = yield* SimulatedCloud
    const own = yield* routerOf(projectId)
    // Made, as far as anybody can tell, before the real one; and the real one is given another name.
    const posing = { ...own, id: "00000000-0000-4000-8000-000000000000", created_at: "1960-01-01T00:00:00Z" }
    world.neutron.routers[posing.id] = { ...posing, gateway: null }
    own.name = "mine"
    own.description = ""
    const { ngw_id } = yield* inTime(createNatGateway(projectId))
    assert.strictEqual(ngw_id, `ngw-${own.id}`)
    yield* inTime(removeNatGateway(projectId, ngw_id))
    assert.strictEqual((yield* inTime(createNatGateway(projectId))).ngw_id, ngw_id)
    assert.isNull(world.neutron.routers[posing.id]?.gateway)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a second router of the platform is a gateway too, and takes the tier's place", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { world } = yield* SimulatedCloud
    const own = yield* routerOf(projectId)
    const uplink = { network_id: fixtures.externalNetworkId, enable_snat: true, port_id: "port-beside" }
    const port = Object.values(world.neutron.ports).find((_) => _.device_id === own.id && own.gateway?.port_id === _.id)
    if (port === undefined) return yield* Effect.die("no port")
    world.neutron.ports["port-beside"] = { ...port, id: "port-beside", device_id: "beside" }
    world.neutron.routers["beside"] = { ...own, id: "beside", name: "beside", description: "", gateway: uplink }
    const { nat_gateways } = yield* inTime(listNatGateways(projectId))
    assert.sameMembers(
      nat_gateways.map((_) => _.router_id),
      [own.id, "beside"]
    )
    yield* inTime(removeNatGateway(projectId, `ngw-${own.id}`))
    const refused = yield* Effect.flip(inTime(createNatGateway(projectId)))
    assert.deepInclude(refused, {
      code: "ceiling_reached",
      detail: "The tenant's ceiling of NAT gateways is reached: requested 1, used 1, limit 1, remaining 0"
    })
    yield* inTime(removeNatGateway(projectId, "ngw-beside"))
    assert.strictEqual((yield* inTime(createNatGateway(projectId))).router_id, own.id)
  }).pipe(Effect.provide(Simulated))
)

it.effect("without a network the list is empty and a gateway cannot be created", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { world } = yield* SimulatedCloud
    const router = yield* routerOf(projectId)
    delete world.neutron.routers[router.id]
    assert.deepStrictEqual(yield* inTime(listNatGateways(projectId)), { count: 0, nat_gateways: [] })
    // The tenant's own: it cannot lead outside.
    world.neutron.routers["own"] = { ...router, id: "own", name: "mine", description: "", gateway: null }
    assert.deepStrictEqual(yield* inTime(listNatGateways(projectId)), { count: 0, nat_gateways: [] })
    assert.deepInclude(yield* Effect.flip(inTime(createNatGateway(projectId))), {
      _tag: "NotFound",
      code: "router_not_found",
      detail: "The tenant has no router that could be a NAT gateway"
    })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a tenant's router without its uplink gets the platform's, with SNAT on", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const router = yield* routerOf(projectId)
    router.gateway = null
    assert.deepStrictEqual(yield* inTime(listNatGateways(projectId)), { count: 0, nat_gateways: [] })
    const gateway = yield* inTime(createNatGateway(projectId))
    assert.deepInclude(gateway, { router_id: router.id, external_network_id: fixtures.externalNetworkId })
    assert.strictEqual(gateway.public_ip, (yield* uplinkOf(projectId)).addresses?.[0])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a router with another uplink is not moved to the configured network", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const older = yield* olderNetwork
    const { ngw_id: first } = yield* inTime(createNatGateway(projectId))
    yield* moveTo(projectId, older)
    yield* inTime(removeNatGateway(projectId, first))
    const before = yield* uplinkOf(projectId)
    const { external_network_id, ngw_id } = yield* inTime(createNatGateway(projectId))
    assert.strictEqual(external_network_id, older)
    yield* inTime(removeNatGateway(projectId, ngw_id))
    assert.deepStrictEqual(yield* uplinkOf(projectId), before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspended tenant keeps its gateway and gets no new one", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    yield* inTime(suspend(projectId))
    const { ngw_id } = yield* inTime(createNatGateway(projectId))
    yield* inTime(removeNatGateway(projectId, ngw_id))
    const refused = yield* Effect.flip(inTime(createNatGateway(projectId)))
    assert.deepInclude(refused, {
      code: "ceiling_reached",
      detail: "The tenant's ceiling of NAT gateways is reached: requested 1, used 0, limit 0, remaining 0"
    })
  }).pipe(Effect.provide(Simulated))
)

it.effect("concurrent creates and deletes are all answered, and the uplink is never moved", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { ngw_id } = yield* inTime(createNatGateway(projectId))
    const before = yield* uplinkOf(projectId)
    for (let round = 0; round < 5; round++) {
      const create = Effect.exit(createNatGateway(projectId))
      const remove = Effect.exit(removeNatGateway(projectId, ngw_id))
      const asked = [create, remove, create, remove] as const
      const exits = yield* inTime(Effect.all(asked, { concurrency: "unbounded" }))
      for (const exit of exits) {
        if (exit._tag === "Success") continue
        const [reason] = exit.cause.reasons
        const code = reason?._tag === "Fail" ? reason.error.code : "none"
        assert.include(["nat_gateway_not_found", "concurrent_change"], code)
      }
      assert.deepStrictEqual(yield* uplinkOf(projectId), before)
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("a change of the router between read and write is retried, and repeated ones given up", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { ngw_id } = yield* inTime(createNatGateway(projectId))
    const cloud = yield* SimulatedCloud
    const router = yield* routerOf(projectId)
    const older = yield* olderNetwork
    const look = { service: "neutron", method: "GET", path: "/v2.0/ports", when: "before" } as const
    // The second half of the look is held up, and an operator moves the router meanwhile.
    yield* cloud.fault({ ...look, as: { delay_ms: 3000 } })
    const moves = Effect.delay(moveTo(projectId, older), "2 seconds")
    const [deleted] = yield* inTime(Effect.all([removeNatGateway(projectId, ngw_id), moves], { concurrency: 2 }))
    assert.strictEqual(deleted.external_network_id, older)
    assert.strictEqual(router.gateway?.network_id, older)
    assert.strictEqual(deleted.state, "deleted")
    assert.strictEqual(router.gateway?.enable_snat, false)
    yield* cloud.clearFaults

    const put = { service: "neutron", method: "PUT", path: "/v2.0/routers/*", when: "before" } as const
    yield* cloud.fault({ ...put, times: "always", as: { status: 412 } })
    assert.deepInclude(yield* Effect.flip(inTime(createNatGateway(projectId))), {
      code: "concurrent_change",
      detail: "Another change of the tenant's router is running; try again in a moment"
    })
  }).pipe(Effect.provide(Simulated))
)

const begun = await seedOf(
  Effect.gen(function* () {
    const acme = yield* acmeBesideGlobex
    const { ngw_id } = yield* inTime(createNatGateway(acme.projectId))
    return { acme, ngw_id }
  })
)

for (const off of [true, false]) {
  it.effect(`a failed deletion restores the router with SNAT ${off ? "off" : "on"}, as before`, () =>
    from(begun)(({ acme, ngw_id }: { readonly acme: Acme; readonly ngw_id: string }) =>
      Effect.gen(function* () {
        const { projectId } = acme
        if (off) yield* inTime(removeNatGateway(projectId, ngw_id))
        const cloud = yield* SimulatedCloud
        yield* condemned(projectId)
        // The object gateway comes last.
        yield* cloud.fault({
          service: "rgw",
          method: "DELETE",
          path: "/admin/user",
          when: "before",
          times: "always",
          as: { status: 403 }
        })
        const entry = yield* carriedOut(projectId)
        assert.deepInclude(entry, { state: "refused", nat_off: off })
        const [router, ...more] = yield* routersOf(projectId)
        assert.lengthOf(more, 0)
        assert.notStrictEqual(`ngw-${router?.id}`, ngw_id, "it was made again")
        assert.deepInclude(router?.gateway, { network_id: fixtures.externalNetworkId, enable_snat: !off })
        assert.strictEqual(yield* inTime(natUsage(projectId)), off ? 0 : 1)
      })
    )
  )
}
