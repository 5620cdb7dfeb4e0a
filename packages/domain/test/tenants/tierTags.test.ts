import { assert, it } from "@effect/vitest"
import type { Tier } from "@portico/contract/Tiers"
import { onboard } from "@portico/domain/onboarding/onboard"
import { Budget } from "@portico/domain/tenants/Budget"
import { TierTags } from "@portico/domain/tenants/TierTags"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** Room for so many tenants of the largest tier. */
const roomFor = (tenants: number) =>
  Effect.provideService(
    Budget,
    Budget.of({
      cores: tenants * 128,
      ram_gib: tenants * 256,
      block_gib: tenants * 1200,
      object_gib: tenants * 300,
      floating_ips: tenants * 16
    })
  )

const tagged = Effect.fnUntraced(function* (id: string, tier: Tier) {
  const { world } = yield* SimulatedCloud
  const tags = [`tier:${tier}`]
  world.keystone.projects[id] = { id, name: id, domain_id: "default", description: "", enabled: true, tags }
})

/** How often the tags of all projects were read. */
const readings = Effect.gen(function* () {
  const cloud = yield* SimulatedCloud
  return (yield* cloud.calls).filter((_) => _.query.includes("tags-any")).length
})

it.effect("with much remaining capacity the tags are read once a minute, otherwise in the background", () =>
  Effect.gen(function* () {
    const next = (name: string) => inTime(onboard({ name, tier: "discovery" }))
    yield* next("One")
    assert.strictEqual(yield* readings, 1)
    yield* next("Two")
    assert.strictEqual(yield* readings, 1)
    yield* TestClock.adjust("61 seconds")
    yield* next("Three")
    assert.strictEqual(yield* readings, 2)
  }).pipe(roomFor(100), Effect.provide(Simulated))
)

it.effect("with little remaining capacity they are read each time, so that a manual tag counts at once", () =>
  Effect.gen(function* () {
    yield* inTime(onboard({ name: "One", tier: "discovery" }))
    for (let n = 0; n < 11; n++) yield* tagged(`stranger-${n}`, "extension")
    const refusal = yield* Effect.flip(inTime(onboard({ name: "Two", tier: "extension" })))
    assert.strictEqual(refusal._tag === "Conflict" ? refusal.admission?.dimensions[0]?.used : undefined, 11 * 128 + 8)
    const { world } = yield* SimulatedCloud
    for (let n = 0; n < 11; n++) delete world.keystone.projects[`stranger-${n}`]
    yield* inTime(onboard({ name: "Two", tier: "extension" }))
  }).pipe(roomFor(11), Effect.provide(Simulated))
)

it.effect("a reading is used for a minute, renewed in the background from 15 seconds on, and has no tenants", () =>
  Effect.gen(function* () {
    yield* inTime(onboard({ name: "One", tier: "standard" }))
    const recent = inTime(Effect.flatMap(TierTags, (_) => _.recent)).pipe(
      Effect.map(({ isFresh, projects }) => [isFresh, ...projects.map((_) => _.id)])
    )
    yield* TestClock.adjust("61 seconds")
    yield* tagged("first", "extension")
    assert.deepStrictEqual(yield* recent, [true, "first"])
    yield* tagged("second", "extension")
    yield* TestClock.adjust("15 seconds")
    assert.deepStrictEqual(yield* recent, [false, "first"])
    yield* settle
    assert.deepStrictEqual(yield* recent, [false, "first"], "it is not old enough to be renewed")
    yield* TestClock.adjust("1 seconds")
    assert.deepStrictEqual(yield* recent, [false, "first"])
    yield* settle
    assert.deepStrictEqual(yield* recent, [false, "first", "second"])
    yield* tagged("third", "extension")
    yield* TestClock.adjust("61 seconds")
    assert.deepStrictEqual(yield* recent, [true, "first", "second", "third"])
  }).pipe(Effect.provide(Simulated))
)
