import type { Caller } from "@portico/contract/Access"
import { Signups } from "@portico/store/Signups"
import { Effect } from "effect"
import { findSignup, signupRow, undecidable } from "./row.ts"

/**
 * Rejects a signup. The requester is not notified. May be repeated.
 *
 * Errors: 404 for an unknown id; 409 while it is being approved, and when it is
 * onboarded.
 */
export const rejectSignup = Effect.fn("signups.reject")(function* (caller: Caller, signupId: string) {
  const signup = yield* findSignup(signupId)
  if (signup.state === "rejected") return signupRow(signup)
  if (signup.state !== "pending") return yield* undecidable(signup)
  const rejected = yield* (yield* Signups).reject(signup, caller.userId)
  if (rejected !== undefined) return signupRow(rejected)
  // Another operator decided a moment ago.
  const decided = yield* findSignup(signupId)
  return decided.state === "rejected" ? signupRow(decided) : yield* undecidable(decided)
})
