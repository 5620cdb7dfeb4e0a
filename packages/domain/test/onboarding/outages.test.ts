import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { during, type Outage, someOutagesAt } from "@portico/testing/faults/outages"
import { callInWords } from "@portico/testing/onboarding/cases"
import { observe } from "@portico/testing/onboarding/observe"
import { acme, anotherTry, complete, refused } from "@portico/testing/onboarding/subject"
import { entries, nothingLeftAnywhere } from "@portico/testing/onboarding/Violation"

const subject = {
  simulated: Simulated,
  observation: await Effect.runPromise(observe(acme).pipe(Effect.provide(Simulated), Effect.provide(TestClock.layer())))
}
const { calls } = subject.observation

/** The sweep comes again and again, as in every replica, until the journal is empty. */
const swept = Effect.fnUntraced(function* (because: string) {
  for (let round = 0; round < 20; round++) {
    yield* pass(180)
    yield* inTime(sweep)
    if ((yield* entries).length === 0) return
  }
  return assert.fail(`${because}: the journal keeps a row although the system is well again`)
})

/** Whatever undoes the onboarding fails too. When the system is well again, all is removed without anybody's doing. */
const suffers = Effect.fnUntraced(
  function* (outage: Outage) {
    const because = outage.title
    const exit = yield* Effect.exit(during(outage, inTime(onboard(acme))))
    if (Exit.isSuccess(exit)) return yield* complete(subject, exit.value)
    const failure = yield* Effect.flip(exit)
    assert.include(["BadGateway", "Conflict"], failure._tag, because)
    const left = failure._tag === "BadGateway" ? (failure.left ?? []) : []
    // What the caller is told of keeps the name, until it is removed.
    if (left.length > 0) yield* refused("onboarding_in_progress")
    yield* swept(because)
    yield* nothingLeftAnywhere
    yield* anotherTry(subject)
  },
  Effect.provide(Simulated),
  Effect.orDie
)

for (const [index, call] of calls.entries()) {
  it.effect(`an outage of the system from ${callInWords(call)} on leaves nothing in the end`, () =>
    Effect.forEach(someOutagesAt(calls, index), suffers, { discard: true })
  )
}
