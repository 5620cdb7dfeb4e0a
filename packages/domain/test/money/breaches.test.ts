import { assert, it } from "@effect/vitest"
import { budgetTopic } from "@portico/contract/Events"
import { BudgetBreached } from "@portico/contract/Money"
import { alertBudgets } from "@portico/domain/money/breaches"
import { createBudget, listBudgets } from "@portico/domain/money/budgets"
import { relayBilling } from "@portico/domain/money/relay"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Billing } from "@portico/upstream/billing/Billing"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { callerOf } from "@portico/testing/tenants/caller"
import { inTime, pass } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { callsOf, faultsOf, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { goTo, happens, inLog, Jobs } from "./money.ts"
import { Process } from "@portico/testing/cloud/Simulated"

const story = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Jobs>>) =>
  it.effect(title, () => Effect.provide(test(), Jobs))

const decode = Schema.decodeUnknownEffect(BudgetBreached, { onExcessProperty: "error" })

/** What the bus was told, in its order. */
const alerts = Effect.flatMap(inLog(budgetTopic), (rows) => Effect.forEach(rows, (_) => decode(_.envelope)))

const alerted = Effect.map(alerts, (_) => _.map(({ data }) => `${data.period} ${data.amount_cents}`))

const marks = Effect.map(
  inTime(listBudgets(callerOf("acme"), "customer", undefined, { limit: 100, after: undefined })),
  (_) => _.budgets.map((budget) => budget.last_breached_period)
)

/** Each a second after the one before, which is the order in which they are looked at. */
const budgetOf = (amount_cents: number, project = "acme") =>
  Effect.andThen(
    TestClock.adjust("1 second"),
    inTime(createBudget(callerOf(project), undefined, { amount_cents, period: "monthly" }))
  )

/** A server that costs a cent every 250 seconds, from now on. */
const spending = Effect.gen(function* () {
  yield* happens({ kind: "server.create", id: "s", detail: { flavor: "m1.large" } })
  yield* inTime(relayBilling)
})

/** Two budgets that January has reached, and one that it has not. */
const breached = Effect.gen(function* () {
  yield* goTo("2026-01-10T00:00:00Z")
  yield* spending
  const low = yield* budgetOf(100)
  const high = yield* budgetOf(300)
  yield* budgetOf(1_000_000)
  yield* goTo("2026-01-11T00:00:00Z")
  return [low, high] as const
})

const both = ["2026-01 100", "2026-01 300"]

story("each budget that its month has reached is alerted once, with the month's numbers", () =>
  Effect.gen(function* () {
    const [low] = yield* breached
    yield* inTime(alertBudgets)
    const found = yield* alerts
    assert.deepInclude(found[0], {
      topic: "billing.budgets",
      kind: "budget.breached",
      at: "2026-01-11T00:00:00.000Z",
      key: low.budget_id,
      project_id: "acme"
    })
    assert.deepStrictEqual(found[0]?.data, {
      budget_id: low.budget_id,
      period: "2026-01",
      amount_cents: 100,
      spent_cents: 346,
      currency: "EUR"
    })
    for (let round = 0; round < 5; round++) {
      yield* TestClock.adjust("1 hour")
      yield* inTime(alertBudgets)
    }
    assert.deepStrictEqual(yield* alerted, both)
    assert.deepStrictEqual(yield* marks, ["2026-01", "2026-01", null])
  })
)

story("a new month, or a late cost of the last one, is alerted, if the budget existed then", () =>
  Effect.gen(function* () {
    yield* goTo("2026-01-31T23:00:00Z")
    yield* spending
    yield* budgetOf(10)
    yield* budgetOf(40)
    yield* goTo("2026-02-01T00:10:00Z")
    yield* inTime(alertBudgets)
    assert.deepStrictEqual(yield* alerted, ["2026-01 10"])

    yield* happens({
      kind: "server.create",
      id: "late",
      at: Date.parse("2026-01-31T22:00:00Z"),
      detail: { flavor: "2" }
    })
    yield* inTime(relayBilling)
    yield* budgetOf(9)
    yield* inTime(alertBudgets)
    assert.deepStrictEqual(yield* alerted, ["2026-01 10"])
    yield* happens({
      kind: "server.create",
      id: "later",
      at: Date.parse("2026-01-31T20:00:00Z"),
      detail: { flavor: "4" }
    })
    yield* inTime(relayBilling)
    yield* inTime(alertBudgets)
    assert.deepStrictEqual((yield* alerted).slice(0, 2), ["2026-01 10", "2026-01 40"])

    yield* goTo("2026-02-20T00:00:00Z")
    yield* inTime(alertBudgets)
    yield* inTime(alertBudgets)
    assert.sameMembers(yield* alerted, ["2026-01 10", "2026-01 40", "2026-02 10", "2026-02 40", "2026-02 9"])
    assert.deepStrictEqual(yield* marks, ["2026-02", "2026-02", "2026-02"])
  })
)

story("more breaches than one call returns are all alerted", () =>
  Effect.gen(function* () {
    yield* goTo("2026-01-10T00:00:00Z")
    for (let project = 0; project < 13; project++) {
      const id = `p${project}`
      yield* happens({ kind: "server.create", id, project: id, detail: { flavor: "m1.large" } })
      for (let n = 0; n < 20; n++) yield* budgetOf(1 + n, id)
    }
    yield* inTime(relayBilling)
    yield* goTo("2026-01-11T00:00:00Z")
    yield* inTime(alertBudgets)
    assert.lengthOf(yield* alerts, 260)
  })
)

it.effect("is inactive without a billing service", () =>
  Effect.andThen(
    alertBudgets,
    Effect.map(inLog(budgetTopic), (_) => assert.deepStrictEqual(_, []))
  ).pipe(Effect.provideService(Billing, Billing.of({ api: undefined })), Effect.provide(Jobs))
)

const calls = await Effect.runPromise(
  Effect.gen(function* () {
    yield* breached
    return yield* callsOf(inTime(alertBudgets))
  }).pipe(Effect.provide(Jobs), Effect.provide(TestClock.layer()))
)

it("a round reads the previous month and this one, and marks what it alerted", () =>
  assert.deepStrictEqual(
    calls.map((_) => `${_.method} ${_.path}`),
    [
      "GET /v1/breaches",
      "GET /v1/breaches",
      "PUT /v1/budgets/*/breaches/*",
      "PUT /v1/budgets/*/breaches/*",
      "GET /v1/breaches"
    ]
  ))

for (const call of calls) {
  for (const fault of faultsOf(call)) {
    story(`alerts each once, despite ${titleOf(fault)}`, () =>
      Effect.gen(function* () {
        yield* breached
        yield* under(fault, inTime(alertBudgets))
        yield* TestClock.adjust("1 minute")
        yield* inTime(alertBudgets)
        assert.deepStrictEqual(yield* alerted, both)
        assert.deepStrictEqual(yield* marks, ["2026-01", "2026-01", null])
      })
    )
  }
  for (const when of whensOf(call)) {
    story(`alerts each once when the process dies at call ${call.nth} of ${call.path}, ${when} its effect`, () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* breached
        yield* cloud.fault({ ...call, when, as: "hang" })
        yield* inDyingProcess(alertBudgets)
        yield* cloud.clearFaults
        yield* pass(60)
        yield* inTime(alertBudgets)
        assert.deepStrictEqual(yield* alerted, both)
        assert.deepStrictEqual(yield* marks, ["2026-01", "2026-01", null])
      })
    )
  }
}

story("alerts each once, and ends, when marking fails", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* breached
    const mark = { service: "billing", method: "PUT", path: "/v1/budgets/*/breaches/*" } as const
    yield* cloud.fault({ ...mark, times: "always", when: "before", as: { status: 503 } })
    yield* inTime(alertBudgets)
    assert.deepStrictEqual(yield* alerted, both)
    const told = (yield* cloud.calls).filter((_) => _.path.includes("/breaches/")).length
    yield* TestClock.adjust("1 minute")
    yield* inTime(alertBudgets)
    assert.deepStrictEqual(yield* alerted, both)
    assert.strictEqual((yield* cloud.calls).filter((_) => _.path.includes("/breaches/")).length, 2 * told)
  })
)

it.effect("concurrent replicas alert each once", () =>
  Effect.gen(function* () {
    yield* breached
    const cloud = yield* SimulatedCloud
    const others = yield* Effect.all([Layer.build(Layer.fresh(Process)), Layer.build(Layer.fresh(Process))])
    yield* cloud.fault({
      service: "billing",
      method: "GET",
      path: "**",
      times: "always",
      when: "after",
      as: { delay_ms: 500 }
    })
    yield* inTime(
      Effect.all([alertBudgets, ...others.map((_) => Effect.provide(alertBudgets, _))], { concurrency: "unbounded" })
    )
    yield* cloud.clearFaults
    assert.deepStrictEqual(yield* alerted, both)
    assert.deepStrictEqual(yield* marks, ["2026-01", "2026-01", null])
  }).pipe(Effect.scoped, Effect.provide(Jobs))
)
