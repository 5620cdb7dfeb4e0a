import { assert, it } from "@effect/vitest"
import { serviceQuotas, type Tier } from "@portico/contract/Tiers"
import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { capacity } from "@portico/domain/tenants/admission"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Journal } from "@portico/store/Journal"
import { Tenants } from "@portico/store/Tenants"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { inTime, settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"

/** What is granted now, in every dimension. */
const granted = Effect.map(capacity(), ({ tiers }) =>
  Object.fromEntries((tiers[0]?.dimensions ?? []).map((_) => [_.dimension, _.used] as const))
)

const coresUsed = Effect.map(granted, (_) => _["cores"])

/** Somebody else's project with a tier tag: made by an older release, or by hand. */
const stranger = Effect.fnUntraced(function* (id: string, tier: Tier) {
  const { world } = yield* SimulatedCloud
  const tags = [`tier:${tier}`]
  world.keystone.projects[id] = { id, name: id, domain_id: "default", description: "", enabled: true, tags }
})

/** The code of the refusal, or that there was none. */
const codeOf = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "done", onFailure: (_): string => _.code })

const tagWrite = { service: "keystone", method: "PUT", path: "/v3/projects/*/tags/*" } as const

/** A database takes its time, so that what is not under one lock gets in between. */
const slowTables = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const [journal, tenants] = [yield* Journal, yield* Tenants]
  return yield* effect.pipe(
    Effect.provideService(Journal, Journal.of({ ...journal, list: Effect.delay(journal.list, "10 millis") })),
    Effect.provideService(
      Tenants,
      Tenants.of({ ...tenants, holdings: (_) => Effect.delay(tenants.holdings(_), "10 millis") })
    )
  )
})

it.effect("of 13 concurrent onboardings for the last 10 places exactly 10 are admitted", () =>
  Effect.gen(function* () {
    const names = Array.from({ length: 13 }, (_, i) => `Tenant ${i}`)
    const many = names.map((name) => Effect.result(onboard({ name, tier: "extension" })))
    const results = yield* inTime(slowTables(Effect.all(many, { concurrency: "unbounded" })))
    const refusals = results.flatMap((_) => (Result.isFailure(_) ? [_.failure] : []))
    assert.lengthOf(refusals, 3)
    for (const refusal of refusals) {
      assert.strictEqual(
        refusal.detail,
        "Tier extension does not fit into the sellable budget: " +
          "cores requested 128, used 1280, limit 1280, remaining 0; " +
          "ram_gib requested 256, used 2560, limit 2560, remaining 0; " +
          "block_gib requested 1200, used 12000, limit 12000, remaining 0; " +
          "object_gib requested 300, used 3000, limit 3000, remaining 0; " +
          "floating_ips requested 16, used 160, limit 160, remaining 0"
      )
      assert.deepStrictEqual(refusal._tag === "Conflict" ? refusal.admission?.dimensions[0] : undefined, {
        dimension: "cores",
        requested: 128,
        used: 1280,
        limit: 1280,
        remaining: 0,
        remaining_after: -128
      })
    }
    assert.deepStrictEqual(yield* granted, {
      cores: 1280,
      ram_gib: 2560,
      block_gib: 12000,
      object_gib: 3000,
      floating_ips: 160
    })
  }).pipe(Effect.provide(Simulated))
)

it.effect("of an onboarding and a move for the same last place one is admitted", () =>
  Effect.gen(function* () {
    for (let i = 0; i < 9; i++) yield* stranger(`stranger-${i}`, "extension")
    const projectId = yield* tenantOf("standard")
    const both = [
      codeOf(moveTier(projectId, "extension")),
      codeOf(onboard({ name: "Globex", tier: "discovery" }))
    ] as const
    assert.sameMembers(yield* inTime(slowTables(Effect.all(both, { concurrency: 2 }))), ["done", "budget_exceeded"])
    assert.isAtMost((yield* coresUsed) ?? Infinity, 1280)
  }).pipe(Effect.provide(Simulated))
)

it.effect("of 20 concurrent onboardings of one name one succeeds, and 19 are conflicts", () =>
  Effect.gen(function* () {
    const many = Array.from({ length: 20 }, () => Effect.result(onboard({ name: "Acme GmbH", tier: "discovery" })))
    const results = yield* inTime(slowTables(Effect.all(many, { concurrency: "unbounded" })))
    assert.lengthOf(results.filter(Result.isSuccess), 1)
    const refusals = results.flatMap((_) => (Result.isFailure(_) ? [_.failure._tag] : []))
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 19 }, () => "Conflict" as const)
    )
    const { world } = yield* SimulatedCloud
    assert.lengthOf(Object.values(world.keystone.projects), 2)
    assert.strictEqual(yield* coresUsed, 8)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a project with a tier tag counts, although it has no row", () =>
  Effect.gen(function* () {
    yield* stranger("older", "standard")
    assert.strictEqual(yield* coresUsed, 32)
    assert.deepStrictEqual((yield* capacity()).tenants, { discovery: 0, standard: 1, extension: 0 })
    for (let i = 0; i < 9; i++) yield* stranger(`stranger-${i}`, "extension")
    const refused = yield* Effect.flip(inTime(onboard({ name: "Acme GmbH", tier: "extension" })))
    assert.include(refused.detail, "cores requested 128, used 1184, limit 1280, remaining 96; ")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a tenant counts under its tag's tier, in the number of tenants and the budget", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    const { world } = yield* SimulatedCloud
    const project = world.keystone.projects[projectId] ?? assert.fail("no project")
    const others = project.tags.filter((_) => !_.startsWith("tier:"))
    const counts = Effect.map(capacity(), (_) => _.tenants)
    assert.deepStrictEqual(yield* counts, { discovery: 1, standard: 0, extension: 0 })
    project.tags = [...others, "tier:standard"]
    assert.deepStrictEqual(yield* counts, { discovery: 0, standard: 1, extension: 0 })
    assert.strictEqual(yield* coresUsed, 32)
    // Of two tags the larger tier, and without any that of the table.
    project.tags = [...others, "tier:discovery", "tier:extension"]
    assert.deepStrictEqual(yield* counts, { discovery: 0, standard: 0, extension: 1 })
    assert.strictEqual(yield* coresUsed, 128)
    project.tags = others
    assert.deepStrictEqual(yield* counts, { discovery: 1, standard: 0, extension: 0 })
    assert.strictEqual(yield* coresUsed, 8)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a shrink and a repair are never refused on an oversold platform; a growth is", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    for (let i = 0; i < 11; i++) yield* stranger(`stranger-${i}`, "extension")
    const repaired = yield* inTime(moveTier(projectId, "standard"))
    assert.isTrue(repaired.admission.admitted)
    assert.strictEqual(repaired.admission.dimensions[0]?.remaining, 1280 - 11 * 128)
    assert.strictEqual((yield* Effect.flip(inTime(moveTier(projectId, "extension")))).code, "budget_exceeded")
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("standard"))
    yield* inTime(moveTier(projectId, "discovery"))
    assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("discovery"))
    assert.strictEqual((yield* Effect.flip(inTime(moveTier(projectId, "standard")))).code, "budget_exceeded")
  }).pipe(Effect.provide(Simulated))
)

it.effect("an onboarding counts once from its admission, and frees its share when it fails", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.fault({ ...tagWrite, when: "after", as: { delay_ms: 5000 } })
    yield* cloud.fault({ ...tagWrite, when: "after", as: { status: 500 } })
    const request = yield* Effect.forkDetach(Effect.flip(onboard({ name: "Acme GmbH", tier: "extension" })))
    yield* settle
    // The tag is set already and the attempt still runs.
    assert.strictEqual(yield* coresUsed, 128)
    assert.deepStrictEqual((yield* capacity()).tenants, { discovery: 0, standard: 0, extension: 1 })
    yield* inTime(Fiber.join(request))
    assert.strictEqual(yield* coresUsed, 0)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an onboarding that could not be rolled back keeps its share until it is removed", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.fault({ ...tagWrite, when: "after", as: { status: 500 } })
    yield* cloud.fault({
      service: "rgw",
      method: "DELETE",
      path: "**",
      times: "always",
      when: "before",
      as: { status: 403 }
    })
    yield* Effect.flip(inTime(onboard({ name: "Acme GmbH", tier: "extension" })))
    assert.strictEqual(yield* coresUsed, 128)
    yield* cloud.clearFaults
    yield* TestClock.adjust("5 minutes")
    yield* inTime(sweep)
    assert.strictEqual(yield* coresUsed, 0)
  }).pipe(Effect.provide(Simulated))
)

it.effect("incomplete moves count as the largest tier that they may have reached", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const projectId = yield* tenantOf("standard")
    const stops = { service: "octavia", method: "PUT", path: "**", when: "before", as: { status: 403 } } as const
    yield* cloud.fault(stops)
    yield* Effect.flip(inTime(moveTier(projectId, "extension")))
    assert.strictEqual(yield* coresUsed, 128)
    yield* cloud.fault(stops)
    yield* Effect.flip(inTime(moveTier(projectId, "discovery")))
    // What the first one wrote may still be in force where the second did not come.
    assert.strictEqual(yield* coresUsed, 128)
    yield* inTime(moveTier(projectId, "discovery"))
    assert.strictEqual(yield* coresUsed, 8)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a suspended tenant keeps its share of the budget", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* inTime(suspend(projectId))
    assert.strictEqual(yield* coresUsed, 32)
    assert.deepStrictEqual((yield* capacity()).tenants, { discovery: 0, standard: 1, extension: 0 })
  }).pipe(Effect.provide(Simulated))
)

it.effect("the capacity shows each tier's numbers as an admission would", () =>
  Effect.gen(function* () {
    const { tenants, tiers } = yield* capacity()
    assert.deepStrictEqual(tenants, { discovery: 0, standard: 0, extension: 0 })
    assert.deepStrictEqual(
      tiers.map(({ admitted, dimensions, tier }) => [tier, admitted, dimensions.map((_) => _.remaining_after)]),
      [
        ["discovery", true, [1272, 2544, 11920, 2980, 158]],
        ["standard", true, [1248, 2496, 11700, 2900, 152]],
        ["extension", true, [1152, 2304, 10800, 2700, 144]]
      ]
    )
    const { admission } = yield* inTime(onboard({ name: "Acme GmbH", tier: "standard" }))
    assert.deepStrictEqual<unknown>(admission, tiers[1])
  }).pipe(Effect.provide(Simulated))
)
