import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { Effect, Exit } from "effect"
import { everything } from "../cloud/cleanSlate.ts"
import { inTime, pass } from "../clock.ts"
import { under } from "../faults/calls.ts"
import { acme, anotherTry, complete, ended, refused, refusedInWords, replica, type Story } from "./subject.ts"
import { entries, expect, nothingLeft, unchangedSince } from "./Violation.ts"

/** Two replicas onboard the same name at once, and one of them is hit by the fault. At most one succeeds. */
export const race: Story = Effect.fnUntraced(function* (subject, fault) {
  const inAnother = yield* replica
  const both = Effect.all([Effect.exit(onboard(acme)), Effect.exit(inAnother(onboard(acme)))], { concurrency: 2 })
  const exits = yield* under(fault, inTime(both))
  const [won, ...others] = exits.filter(Exit.isSuccess)
  yield* expect(others.length === 0, "two replicas onboard the same name at once, and both succeed")

  for (const exit of exits) if (Exit.isFailure(exit)) yield* refusedInWords(exit.cause)
  if (won === undefined) yield* nothingLeft
  const end = yield* ended(won === undefined ? "rolled back" : "completed")
  if (won === undefined) {
    yield* anotherTry(subject)
  } else {
    yield* complete(subject, won.value)
    yield* refused("organisation_name_taken")
  }
  const { cloud } = yield* everything
  yield* pass(180)
  yield* inTime(Effect.all([sweep, inAnother(sweep)], { concurrency: 2 }))
  yield* unchangedSince(cloud, "the sweep changes the tenant")
  yield* expect((yield* entries).length === 0, "the journal keeps a row of an attempt")
  return end
}, Effect.scoped)
