import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/store/Memory"
import { Effect } from "effect"
import { Company, type Fault } from "./company.ts"
import { Simulated } from "./simulated.ts"

const acme = { name: "Acme GmbH", tier: "standard" } as const

/** Everything that exists: in the cloud, at the company, in our tables. */
const everything = Effect.gen(function* () {
  const { entries, zones } = yield* Company
  const { credentials, onboardings, tenants } = yield* Memory
  const rows = [entries, zones, credentials, onboardings, tenants].map((_) => [..._.values()])
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
  assert.strictEqual((yield* Effect.flip(onboard(acme)))._tag, "BadGateway")
  assert.deepStrictEqual(yield* everything, before)
  yield* onboard(acme)
})

it.effect("makes the entry, and the zone in the tenant's project", () =>
  Effect.gen(function* () {
    const { tenant } = yield* onboard(acme)
    const { entries, zones } = yield* Company
    assert.deepStrictEqual(
      [...entries.values()].map((_) => [_.key, _.owner]),
      [["acme-gmbh", "Acme GmbH"]]
    )
    const [zone] = zones.values()
    assert.deepStrictEqual([zone?.name, zone?.project_id], ["acme-gmbh.tenants.example.org.", tenant.project_id])
  }).pipe(Effect.provide(Simulated))
)

const faults = company.calls.flatMap((call): ReadonlyArray<Fault> => [
  { call, when: "before" },
  { call, when: "after" }
])

it.live.each(faults)("leaves nothing when $call fails, $when its effect", (fault) =>
  Effect.gen(function* () {
    const before = yield* everything
    ;(yield* Company).faults.push(fault)
    yield* leavesNothing(before)
  }).pipe(Effect.provide(Simulated))
)

/** A login that fails is tried again. */
const writes = cloud.filter((_) => _.method !== "GET" && _.route !== "/v3/auth/tokens")

it.live.each(writes)(
  "removes the entry and the zone when $service $method $route fails",
  ({ method, route, service }) =>
    Effect.gen(function* () {
      const before = yield* everything
      yield* (yield* SimulatedCloud).fault({ service, method, path: route, when: "after", as: { status: 503 } })
      yield* leavesNothing(before)
    }).pipe(Effect.provide(Simulated))
)
