import { sampled } from "@portico/testing/sample/sampled"
import { assert, it } from "@effect/vitest"
import type { BadGateway, Conflict, NotFound } from "@portico/contract/Failures"
import type { DeletionCancelled } from "@portico/contract/Projects"
import { cancelDeletion } from "@portico/domain/projects/cancel"
import { reconcilePurges } from "@portico/domain/projects/purge"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Purges } from "@portico/store/Purges"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass, settle } from "@portico/testing/clock"
import { inMortalProcess } from "@portico/testing/faults/mortal"
import { callsOf, type NamedCall, titleOf, whensOf } from "@portico/testing/faults/calls"
import { type Acme, acmeBesideGlobex, carriedOut, condemned, gone, liveAgain } from "./purged.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"

const seed = await seedOf(Effect.tap(acmeBesideGlobex, ({ projectId }) => condemned(projectId)))
const begun = from(seed)

const calls = await Effect.runPromise(
  Effect.provide(
    begun(() => callsOf(inTime(reconcilePurges))),
    TestClock.layer()
  )
)

const nameOf = ({ method, path, service }: NamedCall): string => `${service} ${method} ${path}`
const firsts = calls.filter((call, index) => calls.findIndex((_) => nameOf(_) === nameOf(call)) === index)

const ended = Effect.fnUntraced(function* (projectId: string) {
  const entry = yield* (yield* Purges).find(projectId)
  return entry === undefined || entry.lease_ends === null
})

const dies = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${titleOf(fault)}, and the process is gone`
  yield* begun((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      yield* cloud.fault(fault)
      const kill = yield* inMortalProcess(reconcilePurges)
      yield* untilPending
      kill()
      yield* cloud.clearFaults
      if (yield* ended(acme.projectId)) return yield* gone(acme, because)
      const lease = (yield* (yield* Purges).find(acme.projectId))?.lease
      // Nobody else begins before the lease has passed.
      yield* pass(90)
      yield* inTime(reconcilePurges)
      assert.strictEqual((yield* (yield* Purges).find(acme.projectId))?.lease, lease, because)
      yield* pass(40)
      assert.isUndefined(yield* carriedOut(acme.projectId), because)
      yield* gone(acme, because)
    })
  )
})

/** Until a call waits for its answer. */
const untilPending = Effect.gen(function* () {
  const { calls } = yield* SimulatedCloud
  for (let steps = 0; steps < 500; steps++) {
    yield* settle
    if ((yield* calls).some((_) => _.status === null)) return
    yield* TestClock.adjust("500 millis")
  }
  return yield* Effect.die("the call never comes")
})

const cancels = Effect.fnUntraced(function* (call: NamedCall) {
  const because = `cancelled at ${nameOf(call)}`
  yield* begun((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      yield* cloud.fault({ ...call, when: "before", as: { delay_ms: 8000 } })
      const purge = yield* Effect.forkChild(reconcilePurges)
      yield* untilPending
      const exit = yield* Effect.exit(inTime(cancelDeletion(acme.projectId)))
      yield* inTime(Fiber.join(purge))
      yield* restoredOrPast(acme, exit, because)
    })
  )
})

const restoredOrPast = Effect.fnUntraced(function* (
  acme: Acme,
  exit: Exit.Exit<DeletionCancelled, NotFound | Conflict | BadGateway>,
  because: string
) {
  if (Exit.isFailure(exit)) {
    const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    assert.strictEqual(failure?.code, "deletion_past_return", because)
    assert.isUndefined(yield* carriedOut(acme.projectId), because)
    return yield* gone(acme, because)
  }
  assert.deepStrictEqual(exit.value.restored_credentials, acme.live, because)
  const entry = (yield* Memory).purges.get(acme.projectId)
  assert.deepInclude(entry, { state: "cancelled", lease_ends: null, ending: [] }, because)
  // Between two steps, and never in the middle of one.
  assert.notInclude(
    (entry?.progress ?? []).map((_) => _.state),
    "running",
    because
  )
  yield* liveAgain(acme, because)
  yield* condemned(acme.projectId)
  assert.isUndefined(yield* carriedOut(acme.projectId), because)
  yield* gone(acme, because)
})

for (const call of sampled("calls of a purge", 12, firsts)) {
  it.effect(`another replica completes a purge whose process died at ${nameOf(call)}`, () =>
    Effect.forEach(
      sampled(nameOf(call), 1, whensOf(call)).map((when): Fault => ({ ...call, when, as: "hang" })),
      dies,
      { discard: true }
    )
  )
  it.effect(`a purge cancelled at ${nameOf(call)} restores everything, or is past that point`, () => cancels(call))
}
