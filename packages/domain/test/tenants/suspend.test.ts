import { ClusterSettings } from "@portico/domain/kubernetes/ClusterSettings"
import { assert, it } from "@effect/vitest"
import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import type { RunToCompletion } from "@portico/domain/work/RunToCompletion"
import type { Budget } from "@portico/domain/tenants/Budget"
import type { TierTags } from "@portico/domain/tenants/TierTags"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { Store } from "@portico/store/Store"
import { Tenants } from "@portico/store/Tenants"
import type { Upstreams } from "@portico/upstream/Upstreams"
import { Effect, Fiber } from "effect"
import { inTime, settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { rowOf, tenantOf, tierTagsOf, volumes } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"

it.effect("a suspension zeroes every quota, and forbids buckets instead of unlimiting them", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const { applied, tenant } = yield* inTime(suspend(projectId))
    const quotas = yield* quotasOf(projectId)
    assert.deepStrictEqual(quotas, zeroQuotas)
    assert.strictEqual(quotas.rgw?.max_buckets, -1)
    assert.strictEqual(applied.object_storage.max_buckets, -1)
    assert.deepInclude(tenant, { tier: "standard", suspended: true, pending_tier: null })
    assert.sameMembers(yield* tierTagsOf(projectId), ["suspended", "tier:standard"])
  }).pipe(Effect.provide(Simulated))
)

/** What no tier names, as the services hold it. */
const othersOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  return {
    nova: world.nova.quotas[projectId],
    cinder: world.cinder.quotas[projectId],
    neutron: world.neutron.quotas[projectId]?.limits,
    octavia: world.octavia.quotas[projectId]?.limits,
    designate: world.designate.quotas[projectId],
    barbican: world.barbican.quotas[projectId]?.limits
  }
})

it.effect("a suspension closes quotas outside the tier, or holds them at usage; a move resets them", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    for (const time of ["once", "again"]) {
      yield* inTime(suspend(projectId))
      const { barbican, cinder, designate, neutron, nova, octavia } = yield* othersOf(projectId)
      assert.deepInclude(nova, { server_groups: 0, key_pairs: 0 }, time)
      assert.deepInclude(cinder, { snapshots: 0, groups: 0 }, time)
      // The substrate of the tenant: what is replaced of it finds its place.
      assert.deepInclude(neutron, { subnet: 1, security_group: 1, security_group_rule: 4, rbac_policy: 0 }, time)
      assert.isAtLeast(neutron?.["port"] ?? 0, 1, time)
      assert.deepInclude(octavia, { listener: 0, pool: 0, member: 0, healthmonitor: 0, l7policy: 0, l7rule: 0 }, time)
      assert.deepInclude(designate?.limits, { zone_recordsets: 0 }, time)
      assert.deepInclude(barbican, { secrets: 0, containers: 0, orders: 0 }, time)
    }
    yield* inTime(moveTier(projectId, "standard"))
    const { barbican, cinder, designate, neutron, nova, octavia } = yield* othersOf(projectId)
    assert.deepInclude(nova, { server_groups: 10, key_pairs: 100 })
    assert.deepInclude(cinder, { snapshots: 10, groups: 10 })
    assert.deepInclude(neutron, { subnet: 100, port: 500, security_group: 10, security_group_rule: 100 })
    assert.deepInclude(octavia, { listener: -1, pool: -1, healthmonitor: -1 })
    assert.notProperty(designate?.limits, "zone_recordsets")
    assert.isUndefined(barbican)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a move without a suspension leaves quotas outside the tier unchanged", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    const row = world.neutron.quotas[projectId]
    world.neutron.quotas[projectId] = { project_id: projectId, limits: { ...row?.limits, port: 700 } }
    yield* inTime(moveTier(projectId, "extension"))
    assert.deepInclude((yield* othersOf(projectId)).neutron, { port: 700 })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a key manager that refuses the control identity's quotas does not stop a suspension", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    const { keyManagerServiceAdmin } = fixtures.roles
    world.keystone.grants = world.keystone.grants.filter((_) => _.roleId !== keyManagerServiceAdmin)
    const { tenant } = yield* inTime(suspend(projectId))
    assert.deepInclude(tenant, { suspended: true, pending_tier: null })
    assert.isUndefined((yield* othersOf(projectId)).barbican)
    assert.isFalse((yield* inTime(moveTier(projectId, "standard"))).tenant.suspended)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspension holds block storage at its usage, and may be repeated", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* volumes(projectId, [10, 20])
    for (const time of ["once", "again"]) {
      const { applied } = yield* inTime(suspend(projectId))
      assert.deepStrictEqual(applied.cinder, { volumes: 2, gigabytes: 30, backups: 0, backup_gigabytes: 0 }, time)
      assert.deepStrictEqual(applied.cinder_held_at_usage, ["volumes", "gigabytes"], time)
    }
    assert.sameMembers(yield* tierTagsOf(projectId), ["suspended", "tier:standard"])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a move to a tier ends a suspension", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* inTime(suspend(projectId))
    const { tenant } = yield* inTime(moveTier(projectId, "standard"))
    assert.isFalse(tenant.suspended)
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("standard"))
    assert.deepStrictEqual(yield* tierTagsOf(projectId), ["tier:standard"])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspension that stops halfway has the applied ones, and a repeat repairs", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    yield* cloud.fault({ service: "octavia", method: "PUT", path: "**", when: "before", as: { status: 403 } })
    const failure = yield* Effect.flip(inTime(suspend(projectId)))
    assert.deepInclude(failure, {
      _tag: "BadGateway",
      transient: false,
      applied: ["compute", "block_storage", "network"]
    })
    // Suspended all the same: what is half done counts from its beginning.
    assert.deepInclude(yield* rowOf(projectId), { suspended: true, pending_tier: "suspended" })
    assert.deepStrictEqual(yield* tierTagsOf(projectId), ["tier:standard"])
    yield* inTime(suspend(projectId))
    assert.deepStrictEqual(yield* quotasOf(projectId), zeroQuotas)
    assert.deepInclude(yield* rowOf(projectId), { suspended: true, pending_tier: null })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspension and a move exclude each other", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    yield* cloud.fault({ service: "octavia", method: "PUT", path: "**", when: "before", as: { delay_ms: 1000 } })
    const move = yield* Effect.forkDetach(moveTier(projectId, "extension"))
    yield* settle
    assert.strictEqual((yield* Effect.flip(suspend(projectId))).code, "tier_move_in_progress")
    yield* inTime(Fiber.join(move))
    yield* inTime(suspend(projectId))
    assert.sameMembers(yield* tierTagsOf(projectId), ["suspended", "tier:extension"])
    assert.strictEqual((yield* Effect.flip(suspend("nobody"))).detail, "Tenant 'nobody' not found")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspension keeps the tier of a move that has just ended", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const tenants = yield* Tenants
    const services = yield* Effect.context<Upstreams | Store | RunToCompletion | Budget | TierTags | ClusterSettings>()
    const slow = Tenants.of({
      ...tenants,
      beginChange: (id, to) =>
        Effect.andThen(Effect.orDie(moveTier(id, "extension")), tenants.beginChange(id, to)).pipe(
          Effect.provideContext(services)
        )
    })
    const { tenant } = yield* inTime(Effect.provideService(suspend(projectId), Tenants, slow))
    assert.deepInclude(tenant, { tier: "extension", suspended: true })
    assert.sameMembers(yield* tierTagsOf(projectId), ["suspended", "tier:extension"])
  }).pipe(Effect.provide(Simulated))
)
