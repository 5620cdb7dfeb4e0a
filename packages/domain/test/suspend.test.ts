import { ClusterSettings } from "@portico/domain/kubernetes/ClusterSettings"
import { assert, it } from "@effect/vitest"
import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import type { Owned } from "@portico/domain/Owned"
import type { Budget } from "@portico/domain/tenants/Budget"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { Store } from "@portico/store/Store"
import { Tenants } from "@portico/store/Tenants"
import type { Upstreams } from "@portico/upstream/Upstreams"
import { Effect, Fiber } from "effect"
import { inTime, settle } from "./clock.ts"
import { Simulated } from "./simulated.ts"
import { rowOf, tenantOf, tierTagsOf, volumes } from "./tenant.ts"
import { quotasOf } from "./whole.ts"

it.effect("a suspension zeroes every quota, and forbids buckets instead of lifting their limit", () =>
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

it.effect("a suspension holds block storage at its use, and may be repeated", () =>
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

it.effect("a move to a tier is the way back from a suspension", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* inTime(suspend(projectId))
    const { tenant } = yield* inTime(moveTier(projectId, "standard"))
    assert.isFalse(tenant.suspended)
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("standard"))
    assert.deepStrictEqual(yield* tierTagsOf(projectId), ["tier:standard"])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspension that stops half way says what was applied, and a repeat repairs", () =>
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
    assert.deepInclude(yield* rowOf(projectId), { suspended: false, pending_tier: "suspended" })
    assert.deepStrictEqual(yield* tierTagsOf(projectId), ["tier:standard"])
    yield* inTime(suspend(projectId))
    assert.deepStrictEqual(yield* quotasOf(projectId), zeroQuotas)
    assert.deepInclude(yield* rowOf(projectId), { suspended: true, pending_tier: null })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspension and a move do not run at once", () =>
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

it.effect("a suspension keeps the tier of a move that ended a moment before it", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const tenants = yield* Tenants
    const services = yield* Effect.context<Upstreams | Store | Owned | Budget | ClusterSettings>()
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
