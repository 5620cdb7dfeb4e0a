import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Company, type Fault } from "./company.ts"
import { Simulated } from "./simulated.ts"

const acme = { name: "Acme GmbH", tier: "standard" } as const

/** Onboards while the clock moves on, so that pauses pass and the name servers get to forget a zone. */
const onboarded = Effect.gen(function* () {
  const fiber = yield* Effect.forkChild(onboard(acme))
  for (let second = 0; second < 90; second++) {
    // Signatures are made in promises, of which the test clock knows nothing.
    for (let turn = 0; turn < 30; turn++) yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
    if (fiber.pollUnsafe() !== undefined) break
    yield* TestClock.adjust("1 second")
  }
  return yield* Fiber.join(fiber)
})

/** Everything that exists: in the cloud, at the company, in our tables. */
const everything = Effect.gen(function* () {
  const { entries } = yield* Company
  const { credentials, onboardings, tenants } = yield* Memory
  const rows = [entries, credentials, onboardings, tenants].map((_) => [..._.values()])
  return structuredClone({ cloud: yield* (yield* SimulatedCloud).state, rows })
})

/** The log of a run that works: what can fail is read off it. */
const { company, cloud } = await onboard(acme).pipe(
  Effect.andThen(Effect.all({ company: Company, cloud: Effect.flatMap(SimulatedCloud, (_) => _.calls) })),
  Effect.provide(Simulated),
  Effect.runPromise
)

/** The attempt fails, nothing of it is left, and the name is free. */
const leavesNothing = Effect.fnUntraced(function* (before: Effect.Success<typeof everything>) {
  assert.strictEqual((yield* Effect.flip(onboarded))._tag, "BadGateway")
  assert.deepStrictEqual(yield* everything, before)
  yield* onboarded
})

it.effect("makes the entry, and the zone in the tenant's project", () =>
  Effect.gen(function* () {
    const { tenant } = yield* onboarded
    const { entries } = yield* Company
    assert.deepStrictEqual(
      [...entries.values()].map((_) => [_.key, _.owner]),
      [["acme-gmbh", "Acme GmbH"]]
    )
    const { world } = yield* SimulatedCloud
    const zones = Object.values(world.designate.zones).map((_) => [_.name, _.project_id])
    assert.deepStrictEqual(zones, [["acme-gmbh.tenants.example.org.", tenant.project_id]])
  }).pipe(Effect.provide(Simulated))
)

const faults = company.calls.flatMap((call): ReadonlyArray<Fault> => [
  { call, when: "before" },
  { call, when: "after" }
])

it.effect.each(faults)("leaves nothing when $call fails, $when its effect", (fault) =>
  Effect.gen(function* () {
    const before = yield* everything
    ;(yield* Company).faults.push(fault)
    yield* leavesNothing(before)
  }).pipe(Effect.provide(Simulated))
)

/** A login that fails is tried again. */
const writes = cloud.filter((_) => _.method !== "GET" && _.route !== "/v3/auth/tokens")

const broken = writes.flatMap(({ method, route, service }) =>
  (["before", "after"] as const).map((when) => ({ method, route, service, when }))
)

it.effect.each(broken)(
  "removes the entry and the zone when $service $method $route fails, $when its effect",
  ({ method, route, service, when }) =>
    Effect.gen(function* () {
      const before = yield* everything
      yield* (yield* SimulatedCloud).fault({ service, method, path: route, when, as: { status: 503 } })
      yield* leavesNothing(before)
    }).pipe(Effect.provide(Simulated))
)
