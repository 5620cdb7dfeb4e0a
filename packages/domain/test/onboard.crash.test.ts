import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { cleanCloud, cleanSlate, everything, tables } from "./cleanSlate.ts"
import { inTime, pass, settle } from "./clock.ts"
import { inDyingProcess } from "./dying.ts"
import { callsOf, told, whens } from "./faults.ts"
import { Simulated } from "./simulated.ts"
import { whole } from "./whole.ts"

const acme = { name: "Acme GmbH", tier: "standard" } as const

const calls = await Effect.runPromise(Effect.provide(callsOf(onboard(acme)), Simulated))

const entries = Effect.map(tables, (_) => _["onboardings"] ?? [])

const dies = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${told(fault)}, and the process is gone`
  const cloud = yield* SimulatedCloud
  yield* cloud.fault(fault)
  yield* inDyingProcess(onboard(acme))
  yield* cloud.clearFaults

  const held = yield* everything
  if (held.tables["onboardings"]?.length === 1) {
    yield* TestClock.adjust("119 seconds")
    assert.strictEqual(yield* inTime(sweep), 0, because)
    assert.deepStrictEqual(yield* everything, held, because)
    assert.strictEqual((yield* Effect.flip(inTime(onboard(acme)))).code, "onboarding_in_progress", because)
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* inTime(sweep), 1, because)
  }
  yield* cleanSlate(because)
  yield* whole(yield* inTime(onboard(acme)), because)
}, Effect.provide(Simulated))

const hangsUp = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${told(fault)}, and the client hangs up`
  const cloud = yield* SimulatedCloud
  yield* cloud.fault(fault)
  const request = yield* Effect.forkDetach(onboard(acme))
  yield* settle
  assert.isUndefined(request.pollUnsafe(), because)
  yield* inTime(Fiber.interrupt(request))
  yield* cloud.clearFaults

  yield* cleanCloud(because)
  const resting = yield* entries
  yield* whole(yield* inTime(onboard(acme)), because)
  const { cloud: before } = yield* everything
  yield* pass(180)
  assert.strictEqual(yield* inTime(sweep), resting.length, because)
  assert.deepStrictEqual((yield* everything).cloud, before, because)
  assert.deepStrictEqual(yield* entries, [], because)
}, Effect.provide(Simulated))

const hanging = (call: (typeof calls)[number]): ReadonlyArray<Fault> =>
  whens.map((when) => ({ ...call, when, as: "hang" }))

for (const call of calls) {
  it.effect(`leaves nothing when the process dies at ${call.service} ${call.method} ${call.path} (${call.nth})`, () =>
    Effect.forEach(hanging(call), dies, { discard: true })
  )
  it.effect(
    `leaves nothing when the client hangs up at ${call.service} ${call.method} ${call.path} (${call.nth})`,
    () => Effect.forEach(hanging(call), hangsUp, { discard: true })
  )
}
