import type { Caller } from "@portico/contract/Access"
import { Conflict } from "@portico/contract/Failures"
import type { Approved, ApproveRequest } from "@portico/contract/Signups"
import { Members } from "@portico/store/Members"
import { type SignupEntry, Signups } from "@portico/store/Signups"
import { Taken } from "@portico/upstream/UpstreamError"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Effect } from "effect"
import { type Occasion, onboardOn } from "../onboarding/onboard.ts"
import { owner, ownerRole, project } from "../onboarding/steps.ts"
import { findSignup, toWire, undecidable } from "./list.ts"

/**
 * Onboards the tenant of a signup, and makes the requester its owner, who gets
 * an initialisation mail. Whole or not at all: after any failure the signup is
 * pending again as soon as what was made is removed.
 *
 * Errors: those of `onboard`, each of which leaves the signup pending; 404 for
 * an unknown id; 409 when the signup is being approved or is decided, and when
 * the address is the login of another account.
 */
export const approveSignup = Effect.fn("signups.approve")(function* (
  caller: Caller,
  signupId: string,
  { tenant_name, tier }: ApproveRequest
) {
  const signup = yield* findSignup(signupId)
  if (signup.state !== "pending") return yield* undecidable(signup)
  const { onboarded, settled } = yield* onboardOn(occasionOf(signup, caller.userId), {
    name: signup.org_name,
    tier,
    ...(tenant_name === undefined ? {} : { tenant_name })
  })
  return { ...onboarded, ...settled } satisfies Approved
})

/** @param by the operator's user id */
const occasionOf = (
  signup: SignupEntry,
  by: string
): Occasion<
  Pick<Approved, "signup" | "owner">,
  Signups | Members | Humans,
  Conflict<"login_taken" | "signup_busy" | "signup_decided">
> => ({
  owner: { email: signup.email, display_name: signup.email },
  check: isFree(signup.email),
  claim: Effect.fnUntraced(function* (attemptId) {
    const signups = yield* Signups
    if (yield* signups.claim(signup, attemptId)) return
    return yield* undecidable((yield* signups.find(signup.signup_id)) ?? signup)
  }),
  settle: Effect.fnUntraced(function* (attempt) {
    const { userId } = owner.made(attempt)
    const { id: projectId } = project.made(attempt)
    yield* enrol(signup.email, projectId, userId, by)
    const entry = yield* (yield* Signups).settle(attempt.id, { projectId, by })
    return { signup: toWire(entry), owner: { user_id: userId, email: signup.email } }
  })
})

/** Fails when the address has a login, in our records or at the identity provider. */
const isFree = Effect.fnUntraced(function* (email: string) {
  if ((yield* (yield* Members).findByEmail(email)) !== undefined) return yield* Conflict.loginTaken(email)
  if ((yield* (yield* Humans).findByEmail(email)) !== undefined) return yield* Conflict.loginTaken(email)
})

/** Makes the person the account's owner, with access to its costs. */
const enrol = Effect.fnUntraced(function* (email: string, projectId: string, userId: string, by: string) {
  const members = yield* Members
  const invitation = { projectId, email, displayName: email, role: ownerRole, invitedBy: by } as const
  if ((yield* members.insert(invitation, userId)) === undefined) {
    return yield* new Taken({ upstream: "portico", what: `member '${email}'` })
  }
  yield* members.setBilling(userId, true)
})

/**
 * Rejects a signup. The requester is not notified. May be repeated.
 *
 * Errors: 404 for an unknown id; 409 while it is being approved, and when it is
 * onboarded.
 */
export const rejectSignup = Effect.fn("signups.reject")(function* (caller: Caller, signupId: string) {
  const signup = yield* findSignup(signupId)
  if (signup.state === "rejected") return toWire(signup)
  if (signup.state !== "pending") return yield* undecidable(signup)
  const rejected = yield* (yield* Signups).reject(signup, caller.userId)
  if (rejected !== undefined) return toWire(rejected)
  // Another operator decided a moment ago.
  const decided = yield* findSignup(signupId)
  return decided.state === "rejected" ? toWire(decided) : yield* undecidable(decided)
})
