import { assert, it } from "@effect/vitest"
import { lifecycleTopic } from "@portico/contract/Events"
import { relayBilling } from "@portico/domain/money/relay"
import type { FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { EventLog } from "@portico/store/EventLog"
import { Relays } from "@portico/store/Relays"
import { Billing } from "@portico/upstream/billing/Billing"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass, settle } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { faultsOf, titleOf, whens } from "@portico/testing/faults/calls"
import { batches, happens, inLog, Jobs, ledger, type Told } from "./money.ts"
import { Process } from "@portico/testing/cloud/Simulated"

const life: ReadonlyArray<Told> = [
  { kind: "server.create", id: "s", detail: { flavor: "m1.small" } },
  { kind: "volume.create", id: "v", detail: { size_gb: 10 } },
  { kind: "server.delete", id: "s" }
]

const many = (count: number): ReadonlyArray<Told> =>
  Array.from({ length: count }, (_, n) => ({ kind: "volume.create", id: `v${n}`, detail: { size_gb: 1 } }))

const position = Effect.flatMap(Relays, (relays) => relays.position(lifecycleTopic))

const idsInLog = Effect.map(inLog(lifecycleTopic), (_) => _.map((row) => row.id))

/** Rounds of a job, for as long. */
const working = Effect.fnUntraced(function* (seconds: number) {
  const rounds = yield* Effect.forkChild(Effect.forever(Effect.andThen(relayBilling, Effect.sleep("1 second"))))
  yield* pass(seconds)
  yield* Fiber.interrupt(rounds)
})

const whatWasSent = Effect.fnUntraced(function* (because: string) {
  assert.deepStrictEqual(yield* ledger, yield* idsInLog, because)
  const last = (yield* inLog(lifecycleTopic)).at(-1)?.sequence ?? 0
  assert.strictEqual(yield* position, last, because)
})

const story = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Jobs>>) =>
  it.effect(title, () => Effect.provide(test(), Jobs))

story("sends all events once and in order, in batches, and then nothing more", () =>
  Effect.gen(function* () {
    yield* relayBilling
    assert.deepStrictEqual(yield* batches, [])

    yield* happens(...many(450))
    yield* inTime(relayBilling)
    yield* whatWasSent("the first round")
    assert.lengthOf(yield* batches, 3)

    yield* inTime(relayBilling)
    assert.lengthOf(yield* batches, 3)
    yield* happens(...life)
    yield* inTime(relayBilling)
    yield* whatWasSent("the second round")
    assert.lengthOf(yield* batches, 4)
    assert.lengthOf(yield* inLog(lifecycleTopic), 453, "nothing is removed from the log")
  })
)

story("does not send events of another topic", () =>
  Effect.gen(function* () {
    const [event] = yield* happens(...life)
    const { append, page } = yield* EventLog
    const [row] = yield* page(lifecycleTopic, 0, 1)
    assert.isDefined(row)
    if (row !== undefined) yield* append([{ ...row, id: "0b5e7d1c-8f0a-4c6e-9d43-1c1f0a9b8e77", topic: "api.audit" }])
    yield* inTime(relayBilling)
    assert.lengthOf(yield* ledger, 3)
    assert.include(yield* ledger, event?.id)
  })
)

it.effect("is inactive without a billing service", () =>
  Effect.gen(function* () {
    yield* happens(...life)
    yield* relayBilling
    assert.strictEqual(yield* position, 0)
  }).pipe(Effect.provideService(Billing, Billing.of({ api: undefined })), Effect.provide(Jobs))
)

for (const nth of [1, 2, 3]) {
  const call = { service: "billing", method: "POST", path: "/v1/events", nth } as const
  for (const fault of faultsOf(call)) {
    story(`sends all of it once, in order, despite ${titleOf(fault)}`, () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* happens(...many(450))
        yield* cloud.fault(fault)
        yield* working(60)
        yield* whatWasSent("after a minute")
        assert.lengthOf(yield* batches, 4)
      })
    )
  }
}

for (const as of [
  { status: 503 },
  { status: 422 },
  { status: 401 },
  "reset",
  "hang"
] satisfies ReadonlyArray<FaultKind>) {
  story(`pauses while billing fails (${JSON.stringify(as)}) and skips no event`, () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* happens(...life)
      yield* cloud.fault({ service: "billing", method: "POST", path: "**", times: "always", when: "before", as })
      yield* working(1800)
      const attempts = (yield* batches).length
      assert.isAbove(attempts, 20)
      assert.isBelow(attempts, 40, "it does not rest between attempts")
      assert.deepStrictEqual(yield* ledger, [])

      yield* cloud.clearFaults
      yield* happens({ kind: "volume.delete", id: "v" })
      yield* working(70)
      yield* whatWasSent("after it was down")
      assert.lengthOf(yield* batches, attempts + 1)
    })
  )
}

for (const when of whens) {
  for (const nth of [1, 2, 3]) {
    story(`is taken over by another process when its own dies at batch ${nth}, ${when} its effect`, () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* happens(...many(450))
        yield* cloud.fault({ service: "billing", method: "POST", path: "**", nth, when, as: "hang" })
        yield* inDyingProcess(relayBilling)
        yield* cloud.clearFaults
        const before = (yield* batches).length
        assert.strictEqual(before, nth)

        yield* relayBilling
        assert.lengthOf(yield* batches, before, "the lease of the dead one still holds")
        yield* working(40)
        yield* whatWasSent("after the lease")
      })
    )
  }
}

it.effect("two concurrent processes deliver every event once and in order", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const other = yield* Layer.build(Layer.fresh(Process))
    yield* cloud.fault({
      service: "billing",
      method: "POST",
      path: "**",
      times: "always",
      when: "after",
      as: { delay_ms: 300 }
    })
    const rounds = Effect.forever(Effect.andThen(relayBilling, Effect.sleep("100 millis")))
    const mine = yield* Effect.forkChild(rounds)
    const theirs = yield* Effect.forkChild(Effect.provide(rounds, other))
    for (let burst = 0; burst < 20; burst++) {
      yield* happens(...many(30))
      yield* TestClock.adjust("170 millis")
      yield* settle
    }
    yield* pass(20)
    yield* Fiber.interrupt(mine)
    yield* Fiber.interrupt(theirs)
    assert.deepStrictEqual(yield* ledger, yield* idsInLog)
    const sent = yield* batches
    const overlapping = sent.filter((_, index) => index > 0 && _.at < (sent[index - 1]?.at ?? 0) + 300)
    assert.deepStrictEqual(overlapping, [], "two sent at the same time")
  }).pipe(Effect.scoped, Effect.provide(Jobs))
)

story("bills repeated events once: totals equal those of a run without failures", () =>
  Effect.gen(function* () {
    const total = Effect.flatMap(Billing, ({ api }) =>
      api === undefined
        ? Effect.die("there is no billing service")
        : inTime(api.breakdown("acme", { start: 0, end: 2_678_400_000, groupBy: "line" }))
    )
    const run = Effect.gen(function* () {
      const start = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const rounds = yield* Effect.forkChild(Effect.forever(Effect.andThen(relayBilling, Effect.sleep("1 second"))))
      yield* happens({ kind: "server.create", id: "s", detail: { flavor: "m1.large" } })
      yield* TestClock.setTime(start + 3600_000)
      yield* settle
      yield* happens({ kind: "server.delete", id: "s" }, { kind: "volume.create", id: "v", detail: { size_gb: 100 } })
      yield* TestClock.setTime(start + 7200_000)
      yield* settle
      yield* happens({ kind: "volume.delete", id: "v" })
      yield* pass(300)
      yield* Fiber.interrupt(rounds)
      return yield* total
    })
    const good = yield* Effect.provide(run, Layer.fresh(Jobs))
    const cloud = yield* SimulatedCloud
    for (const nth of [1, 2, 3]) {
      for (const as of ["reset", "hang", "garbage"] as const) {
        yield* cloud.fault({ service: "billing", method: "POST", path: "**", nth, when: "after", as })
      }
    }
    yield* TestClock.setTime(0)
    const bad = yield* run
    assert.deepStrictEqual(bad, good)
    assert.isAbove(good.total_cents, 0)
  })
)
