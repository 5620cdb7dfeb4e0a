import { assert, it } from "@effect/vitest"
import { sweep } from "@portico/domain/onboarding/withdraw"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Exit } from "effect"
import { everything, tables } from "@portico/testing/cloud/cleanSlate"
import { inTime, pass } from "@portico/testing/clock"
import { callsOf, type NamedCall, titleOf, under } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { approve, onlyQueued, owned, queued } from "./signup.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { sampled } from "@portico/testing/sample/sampled"

const calls = await Effect.runPromise(
  Effect.provide(
    Effect.flatMap(queued(), (id) => callsOf(approve(id))),
    Simulated
  )
)

const makesLogin = ({ method, path }: Pick<NamedCall, "method" | "path">) =>
  method === "POST" && path === "/management/v1/users/human/_import"

/** Calls of the owner's login: it may be there for a moment before it is removed again. */
const login = calls.slice(calls.findIndex(makesLogin))

/** The signup can be approved again, and nothing of the first attempt reaches the second one, nor outlives its rest. */
const anotherTry = Effect.fnUntraced(function* (id: string, because: string) {
  yield* owned(yield* inTime(approve(id)), because)
  const { cloud } = yield* everything
  yield* pass(180)
  yield* inTime(sweep)
  assert.deepStrictEqual((yield* everything).cloud, cloud, because)
  assert.deepStrictEqual((yield* tables)["onboardings"], [], because)
})

const rollsBack = Effect.fnUntraced(function* (fault: Fault) {
  const because = titleOf(fault)
  const cloud = yield* SimulatedCloud
  const id = yield* queued()
  yield* cloud.clearCalls
  const exit = yield* Effect.exit(under(fault, inTime(approve(id))))
  if (Exit.isSuccess(exit)) return yield* owned(exit.value, because)

  const failure = yield* Effect.flip(exit)
  assert.include(["BadGateway", "Conflict"], failure._tag, because)
  assert.isUndefined(failure._tag === "BadGateway" ? failure.left : undefined, because)
  if (!login.some((_) => _.path === fault.path && _.method === fault.method && _.nth === fault.nth)) {
    const made = (yield* cloud.calls).filter((_) => makesLogin({ method: _.method, path: _.route }))
    assert.deepStrictEqual(made, [], `${because}: somebody was written to`)
  }
  yield* onlyQueued(because)
  yield* anotherTry(id, because)
}, Effect.provide(Simulated))

it("the owner's login and its role are the last calls of an approval", () => {
  assert.deepStrictEqual(
    login.map((_) => `${_.method} ${_.path}`),
    ["POST /management/v1/users/human/_import", "POST /management/v1/users/*/grants"]
  )
})

for (const call of sampled("calls of an approval", 16, calls)) {
  it.effect(`leaves the signup unchanged when ${call.service} ${call.method} ${call.path} (${call.nth}) fails`, () =>
    Effect.forEach(someFaultsOf(call), rollsBack, { discard: true })
  )
}
