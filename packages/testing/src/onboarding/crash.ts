import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { isDeepStrictEqual } from "node:util"
import { everything } from "../cloud/cleanSlate.ts"
import { inTime, pass } from "../clock.ts"
import { under, waitsForAnswer } from "../faults/calls.ts"
import { inDyingProcess } from "../faults/dying.ts"
import { inFrozenProcess } from "../faults/frozen.ts"
import { acme, anotherTry, complete, ended, refused, replica, startsAfresh, type Story } from "./subject.ts"
import { entries, expect, nothingLeft, nothingLeftAnywhere } from "./Violation.ts"

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
    // It rests, because the process may only have stood still.
    yield* sweptAgain
  }
  yield* nothingLeftAnywhere
  const end = yield* ended("rolled back")
  yield* anotherTry(subject)
  return end
}, Effect.scoped)

/** The rest of an attempt is over. */
const sweptAgain = Effect.andThen(pass(130), inTime(sweep))

/**
 * The machine of the process stands still at the call, and its clock too. Another replica removes everything and
 * forgets the attempt. After waking the process makes nothing any more, and nothing that it made meanwhile stays.
 */
export const wakes: Story = Effect.fnUntraced(function* (subject, fault) {
  const cloud = yield* SimulatedCloud
  yield* cloud.fault(fault)
  const { wake } = yield* inFrozenProcess(onboard(acme))
  yield* cloud.clearFaults
  const isBegun = (yield* entries).length > 0
  yield* sweptAgain
  yield* sweptAgain
  yield* nothingLeft
  yield* expect((yield* entries).length === 0, "the journal keeps a row of the attempt")
  const before = (yield* cloud.calls).length
  const exit = yield* wake
  if (!isBegun && Exit.isSuccess(exit)) {
    // It had taken nothing yet, so nothing was taken from it.
    yield* complete(subject, exit.value)
    return yield* ended("completed")
  }
  yield* expect(Exit.isFailure(exit), "the attempt succeeds though another replica has removed it")
  yield* nothingLeft
  const made = new Set(
    subject.observation.calls.filter(isWrite).map(({ method, path, service }) => `${method} ${service} ${path}`)
  )
  const sent = (yield* cloud.calls).slice(before).map(({ method, route, service }) => `${method} ${service} ${route}`)
  const further = sent.filter((_) => made.has(_))
  yield* expect(further.length === 0, `after waking it goes on: ${further.join(", ")}`)
  yield* sweptAgain
  yield* nothingLeftAnywhere
  const end = yield* ended("rolled back")
  yield* anotherTry(subject)
  return end
})

const isWrite = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method !== "GET" && method !== "HEAD" && !path.endsWith("search") && !path.endsWith("/auth/tokens")

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
