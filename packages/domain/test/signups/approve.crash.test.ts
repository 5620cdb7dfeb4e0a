import { sampled } from "@portico/testing/sample/sampled"
import { assert, it } from "@effect/vitest"
import { sweep } from "@portico/domain/onboarding/withdraw"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { everything, tables } from "@portico/testing/cloud/cleanSlate"
import { inTime, pass, settle } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { callsOf, type NamedCall, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { approve, onlyQueued, owned, queued, stateOf } from "./signup.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

const calls = await Effect.runPromise(
  Effect.provide(
    Effect.flatMap(queued(), (id) => callsOf(approve(id))),
    Simulated
  )
)

const dies = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${titleOf(fault)}, and the process is gone`
  const cloud = yield* SimulatedCloud
  const id = yield* queued()
  yield* cloud.fault(fault)
  yield* inDyingProcess(approve(id))
  yield* cloud.clearFaults

  const begun = (yield* tables)["onboardings"]?.length === 1
  assert.strictEqual(yield* stateOf(id), begun ? "approving" : "pending", because)
  if (begun) {
    yield* TestClock.adjust("119 seconds")
    assert.strictEqual(yield* inTime(sweep), 0, because)
    assert.strictEqual((yield* Effect.flip(inTime(approve(id)))).code, "signup_busy", because)
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* inTime(sweep), 1, because)
  }
  // The attempt rests: its process may only have stood still.
  assert.strictEqual(yield* onlyQueued(because), begun ? 1 : 0, because)
  yield* owned(yield* inTime(approve(id)), because)
}, Effect.provide(Simulated))

const hangsUp = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${titleOf(fault)}, and the operator hangs up`
  const cloud = yield* SimulatedCloud
  const id = yield* queued()
  yield* cloud.fault(fault)
  const asked = yield* Effect.forkDetach(approve(id))
  yield* settle
  assert.isUndefined(asked.pollUnsafe(), because)
  yield* inTime(Fiber.interrupt(asked))
  yield* cloud.clearFaults

  const resting = yield* onlyQueued(because)
  yield* owned(yield* inTime(approve(id)), because)
  const { cloud: before } = yield* everything
  yield* pass(180)
  assert.strictEqual(yield* inTime(sweep), resting, because)
  assert.deepStrictEqual((yield* everything).cloud, before, because)
}, Effect.provide(Simulated))

/** The gateway gives up after 10 seconds, the effect comes 20 seconds later. */
const late = (call: NamedCall) => ({ ...call, when: "before", as: { delay_ms: 30_000 } }) as const

const landsLate = Effect.fnUntraced(function* (call: NamedCall) {
  const because = titleOf(late(call))
  const id = yield* queued()
  const exit = yield* Effect.exit(under(late(call), inTime(approve(id))))
  if (Exit.isSuccess(exit)) return yield* owned(exit.value, because)
  yield* onlyQueued(because)
  yield* pass(180)
  yield* inTime(sweep)
  assert.strictEqual(yield* onlyQueued(because), 0, because)
  yield* owned(yield* inTime(approve(id)), because)
}, Effect.provide(Simulated))

const hanging = (call: NamedCall): ReadonlyArray<Fault> => whensOf(call).map((when) => ({ ...call, when, as: "hang" }))

for (const call of sampled("calls of an approval", 10, calls)) {
  const at = `${call.service} ${call.method} ${call.path} (${call.nth})`
  it.effect(`the signup is pending again when the process dies at ${at}`, () =>
    Effect.forEach(hanging(call), dies, { discard: true })
  )
  it.effect(`the signup is pending again when the operator disconnects at ${at}`, () =>
    Effect.forEach(hanging(call), hangsUp, { discard: true })
  )
  it.effect(`the signup is pending again when ${at} takes effect after it was given up`, () => landsLate(call))
}
