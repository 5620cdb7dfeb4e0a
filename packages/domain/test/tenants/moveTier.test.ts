import { assert, it } from "@effect/vitest"
import { serviceQuotas } from "@portico/contract/Tiers"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass, settle } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { callsOf } from "@portico/testing/faults/calls"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { noVolumes, rowOf, tenantOf, tierTagsOf, volumes } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"

const octaviaWrite = { service: "octavia", method: "PUT", path: "/v2/lbaas/quotas/*", when: "before" } as const

it.effect("a move writes compute, block storage, network, load balancers, object storage, names, then tags", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const calls = yield* callsOf(moveTier(projectId, "extension"))
    assert.deepStrictEqual(
      calls.map((_) => `${_.service} ${_.method} ${_.path}`),
      [
        "keystone GET /v3/projects",
        "nova PUT /v2.1/os-quota-sets/*",
        "nova GET /v2.1/os-quota-sets/*",
        "cinder GET /v3/*/os-quota-sets/*",
        "cinder PUT /v3/*/os-quota-sets/*",
        "neutron GET /v2.0/extensions/*",
        "neutron PUT /v2.0/quotas/*",
        "octavia PUT /v2/lbaas/quotas/*",
        "rgw POST /admin/user",
        "rgw PUT /admin/user",
        "designate PATCH /v2/quotas/*",
        "kubernetes GET /api/v1/namespaces/*",
        "keystone GET /v3/projects/*",
        "keystone PUT /v3/projects/*/tags"
      ]
    )
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("extension"))
    assert.deepStrictEqual(yield* tierTagsOf(projectId), ["tier:extension"])
    assert.deepInclude(yield* rowOf(projectId), { tier: "extension", pending_tier: null, change_lease: null })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a move answers its applied quotas and the remaining budget", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { admission, applied, tenant } = yield* inTime(moveTier(projectId, "standard"))
    const { cinder, neutron, nova, octavia, rgw } = serviceQuotas("standard")
    assert.deepStrictEqual(applied, { nova, cinder, cinder_held_at_usage: [], neutron, octavia, object_storage: rgw })
    assert.deepInclude(tenant, { project_id: projectId, tier: "standard", pending_tier: null, suspended: false })
    assert.deepStrictEqual(admission.dimensions[0], {
      dimension: "cores",
      requested: 32,
      used: 0,
      limit: 1280,
      remaining: 1280,
      remaining_after: 1248
    })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a move to the present tier changes nothing, and repairs manual changes", () =>
  Effect.gen(function* () {
    const { state, world } = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    yield* inTime(moveTier(projectId, "standard"))
    const before = yield* state
    yield* inTime(moveTier(projectId, "standard"))
    assert.deepStrictEqual(yield* state, before)
    world.nova.quotas[projectId] = { cores: 1, ram: 1, instances: 1 }
    delete world.cinder.quotas[projectId]
    delete world.rgw.users[`tenant$${projectId}`]
    yield* inTime(moveTier(projectId, "standard"))
    assert.deepStrictEqual(yield* state, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("foreign tags stay", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    world.keystone.projects[projectId]?.tags.push("cost-centre-7")
    yield* inTime(moveTier(projectId, "discovery"))
    assert.sameMembers(yield* tierTagsOf(projectId), ["cost-centre-7", "tier:discovery"])
    assert.lengthOf(world.keystone.projects[projectId]?.tags ?? [], 3)
  }).pipe(Effect.provide(Simulated))
)

it.effect("block storage in use holds its quota, and a repeated move lowers it after", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* volumes(projectId, [30, 30, 30, 30, 30, 30, 30, 30, 30, 30])
    const { applied } = yield* inTime(moveTier(projectId, "discovery"))
    const held = { volumes: 10, gigabytes: 300, backups: 16, backup_gigabytes: 80 }
    assert.deepStrictEqual(applied.cinder, held)
    assert.deepStrictEqual(applied.cinder_held_at_usage, ["volumes", "gigabytes"])
    assert.deepStrictEqual(yield* quotasOf(projectId), { ...serviceQuotas("discovery"), cinder: held })

    yield* noVolumes
    const again = yield* inTime(moveTier(projectId, "discovery"))
    assert.deepStrictEqual(again.applied.cinder_held_at_usage, [])
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("discovery"))
  }).pipe(Effect.provide(Simulated))
)

it.effect("a volume created between reading the usage and the write is seen at a second reading", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    const write = { service: "cinder", method: "PUT", path: "/v3/*/os-quota-sets/*" } as const
    yield* cloud.fault({ ...write, when: "before", as: { delay_ms: 1000 } })
    const move = yield* Effect.forkDetach(moveTier(projectId, "discovery"))
    yield* settle
    yield* volumes(projectId, [100])
    const { applied } = yield* inTime(Fiber.join(move))
    assert.deepStrictEqual(applied.cinder_held_at_usage, ["gigabytes"])
    assert.strictEqual(applied.cinder.gigabytes, 100)
  }).pipe(Effect.provide(Simulated))
)

it.effect("networks in use do not block a shrink, in any release's spelling", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    const [network] = Object.values(cloud.world.neutron.networks).filter((_) => _.project_id === projectId)
    assert.isDefined(network)
    for (const id of ["n1", "n2", "n3", "n4"]) cloud.world.neutron.networks[id] = { ...network, id }
    yield* inTime(moveTier(projectId, "discovery"))
    assert.deepStrictEqual((yield* quotasOf(projectId)).neutron, { network: 3, router: 2, floatingip: 2 })
  }).pipe(Effect.provide(Simulated))
)

it.effect("of two concurrent moves of one tenant one succeeds, and the other is refused", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const moves = [moveTier(projectId, "extension"), moveTier(projectId, "discovery")].map((_) => Effect.result(_))
    const [first, second] = yield* inTime(Effect.all(moves, { concurrency: 2 }))
    assert.strictEqual(first?._tag, "Success")
    assert.deepStrictEqual(second?._tag === "Failure" ? second.failure.code : "", "tier_move_in_progress")
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("extension"))
    assert.deepInclude(yield* rowOf(projectId), { tier: "extension", pending_tier: null })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a move completes when the client disconnects", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* (yield* SimulatedCloud).fault({ ...octaviaWrite, as: { delay_ms: 5000 } })
    const request = yield* Effect.forkDetach(moveTier(projectId, "extension"))
    yield* settle
    yield* Fiber.interrupt(request)
    assert.strictEqual((yield* rowOf(projectId))?.pending_tier, "extension")
    yield* pass(10)
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("extension"))
    assert.deepInclude(yield* rowOf(projectId), { tier: "extension", pending_tier: null })
  }).pipe(Effect.provide(Simulated))
)

it.effect("the lease of a process that died during a move ends after 3 minutes", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    yield* cloud.fault({ ...octaviaWrite, as: "hang" })
    yield* inDyingProcess(moveTier(projectId, "extension"))
    yield* TestClock.adjust("179 seconds")
    const held = yield* Effect.flip(inTime(moveTier(projectId, "discovery"), "100 millis"))
    assert.strictEqual(held.code, "tier_move_in_progress")
    assert.deepInclude(yield* rowOf(projectId), { tier: "standard", pending_tier: "extension" })
    yield* TestClock.adjust("1 second")
    yield* inTime(moveTier(projectId, "discovery"))
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("discovery"))
    assert.deepInclude(yield* rowOf(projectId), { tier: "discovery", pending_tier: null })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a move of an unknown tenant is 404, without a call", () =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(moveTier("nobody", "standard"))
    assert.deepStrictEqual([refused._tag, refused.detail], ["NotFound", "Tenant 'nobody' not found"])
    assert.deepStrictEqual(yield* (yield* SimulatedCloud).calls, [])
  }).pipe(Effect.provide(Simulated))
)
