import { it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { kinds, titleOf } from "../faults/calls.ts"
import { sampled } from "../sample/sampled.ts"
import { callInWords, type Case, deathsOf, failuresOf, hangUpsOf, lateEffectsOf, play, racesOf } from "./cases.ts"
import { observe, type ObservedCall } from "./observe.ts"
import { acme, anotherTry, type Observed, type Subject } from "./subject.ts"

/** An onboarding in which nothing fails, which says what to fail and what a tenant has. */
const observed = (subject: Subject): Promise<Observed> =>
  observe(acme).pipe(
    Effect.map((observation) => ({ ...subject, observation })),
    Effect.provide(subject.simulated),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )

/** The test is red with the case's violation, below the fault in words. */
const holds = (subject: Observed) =>
  Effect.fnUntraced(function* (played: Case) {
    const { result } = yield* play(subject, played)
    if (Result.isFailure(result)) {
      return yield* Effect.die(new Error(`${titleOf(played.fault)}, ${played.title}: ${result.failure.message}`))
    }
  })

/** At every call, or at as many of them as are drawn where a seed draws. */
const testCases = (
  subject: Observed,
  title: (call: string) => string,
  casesOf: (_: ObservedCall) => ReadonlyArray<Case>,
  count = Infinity
) => {
  for (const call of sampled(title("a call"), count, subject.observation.calls)) {
    it.effect(title(`${callInWords(call)} of ${call.step}`), () =>
      Effect.forEach(casesOf(call), holds(subject), { discard: true })
    )
  }
}

/** One of these cases before the call's effect and one after it; all of them in a run of everything. */
const some = (cases: ReadonlyArray<Case>): ReadonlyArray<Case> =>
  Object.entries(Object.groupBy(cases, (_) => _.when)).flatMap(([when, cases = []]) =>
    sampled(`${when} ${cases[0] === undefined ? "" : callInWords(cases[0].call)}`, 1, cases)
  )

/** One of these cases; all of them in a run of everything. */
const one = (of: string, cases: ReadonlyArray<Case>): ReadonlyArray<Case> =>
  sampled(`${of} ${cases[0] === undefined ? "" : callInWords(cases[0].call)}`, 1, cases)

/**
 * Tests that an onboarding is whole or leaves nothing: one test for each of its
 * upstream calls, which fails in every way, before and after its effect.
 */
export const testRollback = async (subject: Subject): Promise<void> => {
  const own = await observed(subject)
  it.effect("makes a whole tenant when nothing fails", () =>
    Effect.provide(Effect.orDie(anotherTry(own)), subject.simulated)
  )
  testCases(
    own,
    (_) => `leaves nothing when ${_} fails`,
    (_) => some(failuresOf(_, subject.kinds ?? kinds))
  )
}

/**
 * Tests that an onboarding leaves nothing when it is cut short: two tests for
 * each of its upstream calls, at which the process dies, or the client hangs up.
 */
export const testCrash = async (subject: Subject): Promise<void> => {
  const own = await observed(subject)
  testCases(
    own,
    (_) => `leaves nothing when the process dies at ${_}`,
    (_) => one("dies", deathsOf(_)),
    12
  )
  testCases(
    own,
    (_) => `leaves nothing when the client hangs up at ${_}`,
    (_) => one("hangs up", hangUpsOf(_)),
    12
  )
}

/**
 * Tests that an onboarding removes what an upstream does after the gateway has
 * given the call up: one test for each of its upstream calls.
 */
export const testLateEffects = async (subject: Subject): Promise<void> => {
  testCases(await observed(subject), (_) => `removes what ${_} does after it was given up`, lateEffectsOf, 12)
}

/**
 * Tests that of two replicas that onboard the same name at once one makes a
 * tenant at most: one test for each upstream call, which loses its answer.
 */
export const testReplicas = async (subject: Subject): Promise<void> => {
  testCases(
    await observed(subject),
    (_) => `one of two replicas has the name when ${_} fails`,
    (_) => one("race", racesOf(_)),
    12
  )
}

/**
 * All tests that the onboarding of a gateway with steps of its own has to pass,
 * for each of its upstream calls, built-in steps included: the call fails in
 * every way, the process dies at it, the client hangs up at it, its effect
 * comes late, and two replicas do the same at once. Called at the top of a test
 * file.
 */
export const testOnboarding = async (subject: Subject): Promise<void> => {
  // For what hangs. One test is dozens of onboardings: more than the test runner has time for by itself.
  vi.setConfig({ testTimeout: 180_000 })
  await testRollback(subject)
  await testCrash(subject)
  await testLateEffects(subject)
  await testReplicas(subject)
}
