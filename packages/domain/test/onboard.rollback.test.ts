import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import type { Fault } from "@portico/simulator/Fault"
import { Effect, Exit } from "effect"
import { cleanCloud, everything, tables } from "./cleanSlate.ts"
import { inTime, pass } from "./clock.ts"
import { callsOf, faultsOf, told, under } from "./faults.ts"
import { Simulated } from "./simulated.ts"
import { whole } from "./whole.ts"

const acme = { name: "Acme GmbH", tier: "standard" } as const

const calls = await Effect.runPromise(Effect.provide(callsOf(onboard(acme)), Simulated))

/** The name is free, and nothing of a first attempt reaches the second one, nor outlives its rest. */
const anotherTry = Effect.fnUntraced(function* (because: string) {
  yield* whole(yield* inTime(onboard(acme)), because)
  const { cloud } = yield* everything
  yield* pass(180)
  yield* inTime(sweep)
  assert.deepStrictEqual((yield* everything).cloud, cloud, because)
  assert.deepStrictEqual((yield* tables)["onboardings"], [], because)
})

const rollsBack = Effect.fnUntraced(function* (fault: Fault) {
  const because = told(fault)
  const exit = yield* Effect.exit(under(fault, inTime(onboard(acme))))
  if (Exit.isSuccess(exit)) {
    yield* whole(exit.value, because)
    const again = yield* Effect.flip(inTime(onboard(acme)))
    assert.strictEqual(again.code, "organisation_name_taken", because)
    return
  }
  const failure = yield* Effect.flip(exit)
  assert.include(["BadGateway", "Conflict"], failure._tag, because)
  assert.isUndefined(failure._tag === "BadGateway" ? failure.left : undefined, because)
  yield* cleanCloud(because)
  yield* anotherTry(because)
}, Effect.provide(Simulated))

for (const call of calls) {
  it.effect(`leaves nothing when ${call.service} ${call.method} ${call.path} (${call.nth}) fails`, () =>
    Effect.forEach(faultsOf(call), rollsBack, { discard: true })
  )
}
