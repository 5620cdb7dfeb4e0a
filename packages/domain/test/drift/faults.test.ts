import { assert, it } from "@effect/vitest"
import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import { repair } from "@portico/domain/drift/repair"
import { RunToCompletion } from "@portico/domain/work/RunToCompletion"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Tenants } from "@portico/store/Tenants"
import { Effect, Exit, Fiber } from "effect"
import { inTime, pass, settle } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { disturb, driftOf, notEqual } from "./people.ts"
import { callsOf, type NamedCall, titleOf, under } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { rowOf, tenantOf, tierTagsOf } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"
import { sampled } from "@portico/testing/sample/sampled"

const calls = await Effect.runPromise(
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* disturb(projectId, "standard")
    return yield* callsOf(repair(projectId))
  }).pipe(Effect.provide(Simulated))
)

/** The writes in their order, and the service that each of them is. */
const writes = [
  ["compute", "nova"],
  ["block_storage", "cinder"],
  ["network", "neutron"],
  ["load_balancers", "octavia"],
  ["object_storage", "rgw"],
  ["dns", "designate"],
  ["databases", "kubernetes"],
  ["tier_tag", "keystone"]
] as const

/** A tenant, suspended or not, of which nothing is as it should be; whatever fails once, the next run repairs all of it. */
const repairs = Effect.fnUntraced(function* (call: NamedCall, fault: Fault, suspended: boolean) {
  const because = `${titleOf(fault)}, ${suspended ? "suspended" : "live"}`
  const projectId = yield* tenantOf("standard")
  if (suspended) yield* inTime(suspend(projectId))
  yield* disturb(projectId, "standard")
  const exit = yield* Effect.exit(under({ ...fault, nth: 1 }, inTime(repair(projectId))))

  if (Exit.isFailure(exit)) {
    const failure = yield* Effect.flip(exit)
    const place = writes.findIndex(([, service]) => service === call.service)
    // Those that no tier names come with a suspension, behind all that have a service of their own.
    const applied = writes
      .slice(0, place)
      .flatMap(([name]) => (suspended && name === "databases" ? [name, "others"] : [name]))
    assert.deepInclude(failure, { _tag: "BadGateway", code: "quota_write_failed", applied }, because)
    assert.deepInclude(yield* rowOf(projectId), { tier: "standard", suspended, change_lease: null }, because)
    // What is said to be applied is, and what comes later has drifted as before.
    const states = (yield* driftOf(projectId)).dimensions
    for (const [index, [, service]] of writes.entries()) {
      if (index === place) continue
      const own = states.filter((_) => _.service === service)
      assert.isTrue(
        own.every((_) => _.state === (index < place ? "equal" : "drifted")),
        `${because}: ${service}`
      )
    }
    yield* inTime(repair(projectId))
  }
  assert.deepStrictEqual(yield* notEqual(projectId), {}, because)
  assert.deepStrictEqual(yield* quotasOf(projectId), suspended ? zeroQuotas : serviceQuotas("standard"), because)
  assert.deepInclude(
    yield* rowOf(projectId),
    { tier: "standard", suspended, pending_tier: null, reached_tiers: [] },
    because
  )
}, Effect.provide(Simulated))

for (const call of sampled("calls of a repair", 8, calls)) {
  for (const suspended of [false, true]) {
    const tenant = suspended ? "a suspended tenant" : "a live tenant"
    it.effect(
      `a repair of ${tenant} has the applied ones when ${call.service} ${call.method} ${call.path} fails, and a second one repairs`,
      () => Effect.forEach(someFaultsOf(call), (fault) => repairs(call, fault, suspended), { discard: true })
    )
  }
}

const slowly = { service: "octavia", method: "PUT", path: "**", when: "before", as: { delay_ms: 3000 } } as const

it.effect("a repair completes when its caller disconnects", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    yield* disturb(projectId, "standard")
    yield* cloud.fault(slowly)
    const caller = yield* Effect.forkChild(repair(projectId))
    yield* settle
    yield* Fiber.interrupt(caller)
    assert.isNotEmpty(Object.keys(yield* notEqual(projectId)))
    yield* pass(10)
    assert.deepStrictEqual(yield* notEqual(projectId), {})
    assert.deepInclude(yield* rowOf(projectId), { pending_tier: null, change_lease: null })
  }).pipe(Effect.provide(Simulated))
)

it.effect("a repair whose process dies is repeated when its lease has ended", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    yield* disturb(projectId, "standard")
    yield* cloud.fault(slowly)
    yield* inDyingProcess(repair(projectId))
    assert.strictEqual((yield* Effect.flip(repair(projectId))).code, "tier_move_in_progress")
    yield* pass(200)
    yield* inTime(repair(projectId))
    assert.deepStrictEqual(yield* notEqual(projectId), {})
    assert.deepInclude(yield* rowOf(projectId), { tier: "standard", pending_tier: null, change_lease: null })
  }).pipe(Effect.provide(Simulated))
)

it.effect("of two concurrent repairs one is refused, and of a repair and a move the later", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    yield* disturb(projectId, "standard")
    yield* cloud.fault({ ...slowly, times: "always" })
    const first = yield* Effect.forkChild(repair(projectId))
    yield* settle
    assert.strictEqual((yield* Effect.flip(repair(projectId))).code, "tier_move_in_progress")
    assert.strictEqual((yield* Effect.flip(moveTier(projectId, "extension"))).code, "tier_move_in_progress")
    yield* inTime(Fiber.join(first))
    const move = yield* Effect.forkChild(moveTier(projectId, "extension"))
    yield* settle
    assert.strictEqual((yield* Effect.flip(repair(projectId))).code, "tier_move_in_progress")
    yield* inTime(Fiber.join(move))
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("extension"))
  }).pipe(Effect.provide(Simulated))
)

it.effect("a repair does not undo a move that has just ended", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const tenants = yield* Tenants
    const owned = yield* RunToCompletion
    const moved = yield* Effect.cached(Effect.orDie(inTime(moveTier(projectId, "extension"))))
    const services = yield* Effect.context<Effect.Services<typeof moved>>()
    const slow = Tenants.of({
      ...tenants,
      beginChange: (id, to) => Effect.andThen(Effect.provideContext(moved, services), tenants.beginChange(id, to))
    })
    const { tenant } = yield* inTime(
      repair(projectId).pipe(Effect.provideService(Tenants, slow), Effect.provideService(RunToCompletion, owned))
    )
    assert.deepInclude(tenant, { tier: "extension", pending_tier: null })
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("extension"))
    assert.deepStrictEqual(yield* tierTagsOf(projectId), ["tier:extension"])
    assert.deepStrictEqual(yield* notEqual(projectId), {})
  }).pipe(Effect.provide(Simulated))
)
