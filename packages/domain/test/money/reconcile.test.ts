import { assert, it } from "@effect/vitest"
import { reconcileBilling } from "@portico/domain/money/reconcile"
import { relayBilling } from "@portico/domain/money/relay"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Billing } from "@portico/upstream/billing/Billing"
import { Inventory, inventoryTypes } from "@portico/upstream/billing/Inventory"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { callsOf, faultsOf, titleOf, under } from "@portico/testing/faults/calls"
import { happens, Whole } from "./money.ts"
import { noVolumes, tenantOf, volumes } from "@portico/testing/tenants/tenant"

const story = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Whole>>) =>
  it.effect(title, () => Effect.provide(test(), Whole))

/** What a volume's ledger says: its seconds per GiB, by project. */
const billedTo = Effect.fnUntraced(function* (project: string) {
  const { api } = yield* Billing
  if (api === undefined) return yield* Effect.die("there is no billing service")
  const { rows } = yield* inTime(api.breakdown(project, { start: 0, end: 86_400_000, groupBy: "line" }))
  return rows.map((_) => `${_.service} ${_.quantity}`)
})

/** A volume that the ledger knows of, from the first second on, and that is gone without a call. */
const leaked = Effect.gen(function* () {
  const acme = yield* tenantOf("discovery", "Acme")
  yield* happens({
    kind: "volume.create",
    id: `volume-0-of-${acme}`,
    project: acme,
    at: 0,
    detail: { size_gb: 10, volume_type: "__DEFAULT__" }
  })
  yield* inTime(relayBilling)
  yield* volumes(acme, [10])
  yield* TestClock.adjust("1 hour")
  return acme
})

const ledgerSize = Effect.map(SimulatedCloud, ({ world }) => Object.keys(world.billing.events).length)

story("matching resources stay, and billing of a missing one ends", () =>
  Effect.gen(function* () {
    const acme = yield* leaked
    yield* inTime(reconcileBilling)
    assert.strictEqual(yield* ledgerSize, 1)
    yield* noVolumes
    const gone = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    yield* inTime(reconcileBilling)
    yield* TestClock.adjust("1 hour")
    yield* inTime(reconcileBilling)
    assert.strictEqual(yield* ledgerSize, 2)
    assert.deepStrictEqual(yield* billedTo(acme), [`block-storage.standard ${Math.ceil(gone / 1000) * 10}`])
  })
)

story("an unknown resource of a tenant begins, and one of another project does not", () =>
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery", "Acme")
    yield* volumes(acme, [1, 2])
    yield* volumes("stranger", [3])
    yield* TestClock.adjust("1 hour")
    yield* inTime(reconcileBilling)
    yield* TestClock.adjust("100 seconds")
    assert.deepStrictEqual(yield* billedTo(acme), ["block-storage.standard 300"])
    assert.deepStrictEqual(yield* billedTo("stranger"), [])
  })
)

story("lists are read to their last page", () =>
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery", "Acme")
    yield* volumes(
      acme,
      Array.from({ length: 1234 }, () => 1)
    )
    const found = yield* inTime(Effect.flatMap(Inventory, (inventory) => inventory.list("volume")))
    assert.lengthOf(new Set(found.map((_) => _.resource_id)), 1234)
  })
)

const calls = await Effect.runPromise(
  Effect.gen(function* () {
    yield* leaked
    return yield* callsOf(inTime(reconcileBilling))
  }).pipe(Effect.provide(Whole), Effect.provide(TestClock.layer()))
)

it("a round reads a list per type, and reports each", () => {
  assert.lengthOf(
    calls.filter((_) => _.path === "/v1/inventory"),
    inventoryTypes.length
  )
})

for (const call of calls) {
  for (const fault of faultsOf(call)) {
    story(`ends no existing resource, and every missing one in the end: ${titleOf(fault)}`, () =>
      Effect.gen(function* () {
        yield* leaked
        yield* under(fault, inTime(reconcileBilling))
        assert.strictEqual(yield* ledgerSize, 1, "what is there was changed")
        yield* noVolumes
        yield* under(fault, inTime(reconcileBilling))
        yield* inTime(reconcileBilling)
        assert.strictEqual(yield* ledgerSize, 2)
      })
    )
  }
}

story("an incomplete list changes nothing", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* leaked
    for (const body of [{}, { volumes: {} }, { volumes: [{}] }, { volumes: [], volumes_links: "next" }]) {
      const list = { service: "cinder", method: "GET", path: "**", times: "always", when: "after" } as const
      yield* cloud.fault({ ...list, as: { status: 200, body } })
      yield* inTime(reconcileBilling)
      yield* cloud.clearFaults
      assert.strictEqual(yield* ledgerSize, 1, JSON.stringify(body))
    }
  })
)
