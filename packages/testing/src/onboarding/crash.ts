import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { isDeepStrictEqual } from "node:util"
import { everything } from "../cloud/cleanSlate.ts"
import { inTime } from "../clock.ts"
import { under, waitsForAnswer } from "../faults/calls.ts"
import { inDyingProcess } from "../faults/dying.ts"
import { acme, anotherTry, ended, refused, replica, startsAfresh, type Story } from "./subject.ts"
import { expect, nothingLeft, nothingLeftAnywhere } from "./Violation.ts"

/** The process dies at the call. When its lease has ended, two replicas sweep at once, and one of them cleans up. */
export const dies: Story = Effect.fnUntraced(function* (subject, fault) {
  yield* under(fault, inDyingProcess(onboard(acme)))

  const held = yield* everything
  if (held.tables["onboardings"]?.length === 1) {
    yield* TestClock.adjust("119 seconds")
    yield* expect((yield* inTime(sweep)) === 0, "a replica sweeps an attempt whose lease runs")
    yield* expect(isDeepStrictEqual(yield* everything, held), "something changes while the lease of the attempt runs")
    yield* refused("onboarding_in_progress")
    yield* TestClock.adjust("2 seconds")
    const inAnother = yield* replica
    const swept = yield* inTime(Effect.all([sweep, inAnother(sweep)], { concurrency: 2 }))
    yield* nothingLeft
    yield* expect(swept[0] + swept[1] === 1, `two replicas swept one attempt ${swept[0] + swept[1]} times`)
  }
  yield* nothingLeftAnywhere
  const end = yield* ended("rolled back")
  yield* anotherTry(subject)
  return end
}, Effect.scoped)

/** The client hangs up at the call: nobody would hold the secret, so nothing may stay. */
export const hangsUp: Story = Effect.fnUntraced(function* (subject, fault) {
  const cloud = yield* SimulatedCloud
  yield* cloud.fault(fault)
  const request = yield* Effect.forkDetach(onboard(acme))
  yield* waitsForAnswer(request)
  yield* expect(request.pollUnsafe() === undefined, "the onboarding is over before the client hangs up")
  yield* inTime(Fiber.interrupt(request))
  yield* cloud.clearFaults

  yield* nothingLeft
  const end = yield* ended("rolled back")
  const { resting, swept } = yield* startsAfresh(subject)
  yield* expect(swept === resting, `the sweep had ${resting} attempts to look at again, and looked at ${swept}`)
  return end
})
