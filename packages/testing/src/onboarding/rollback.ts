import { onboard } from "@portico/domain/onboarding/onboard"
import { Effect, Exit } from "effect"
import { inTime } from "../clock.ts"
import { under } from "../faults/calls.ts"
import { acme, complete, ended, refused, rolledBack, startsAfresh, type Story } from "./subject.ts"

/** The call fails: the onboarding is whole, or leaves nothing and may be repeated at once. */
export const fails: Story = Effect.fnUntraced(function* (subject, fault) {
  const exit = yield* Effect.exit(under(fault, inTime(onboard(acme))))
  if (Exit.isSuccess(exit)) {
    const end = yield* ended("completed")
    yield* complete(subject, exit.value)
    yield* refused("organisation_name_taken")
    return end
  }
  yield* rolledBack(exit.cause)
  const end = yield* ended("rolled back")
  yield* startsAfresh(subject)
  return end
})
