import { Conflict, NotFound } from "@portico/contract/Failures"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import type { SignupRow, SignupState } from "@portico/contract/Signups"
import { type SignupEntry, Signups } from "@portico/store/Signups"
import { DateTime, Effect } from "effect"
import { isoOrNull } from "../isoOrNull.ts"

/** A page of the queue, oldest first; without `state`, signups of every state. */
export const listSignups = Effect.fn("signups.list")(function* (state: SignupState | undefined, request: PageRequest) {
  const { count, rows } = yield* (yield* Signups).page({ ...request, state })
  const page = pageOf(rows, request, (_) => ({ at: DateTime.toEpochMillis(_.created_at), id: _.signup_id }))
  return { count, next_cursor: page.next_cursor, signups: page.rows.map(toWire) }
})

/** A signup as operators see it. */
export const toWire = (entry: SignupEntry): SignupRow => ({
  signup_id: entry.signup_id,
  email: entry.email,
  org_name: entry.org_name,
  state: entry.state,
  attempt_id: entry.attempt_id,
  project_id: entry.project_id,
  decided_by: entry.decided_by,
  decided_at: isoOrNull(entry.decided_at),
  created_at: DateTime.formatIso(entry.created_at)
})

/** 404 for an unknown id. */
export const findSignup = Effect.fnUntraced(function* (signupId: string) {
  return (yield* (yield* Signups).find(signupId)) ?? (yield* NotFound.signup(signupId))
})

/** Why nothing more can be decided about a signup. */
export const undecidable = ({ signup_id, state }: SignupEntry): Conflict<"signup_busy" | "signup_decided"> =>
  state === "onboarded" || state === "rejected"
    ? Conflict.signupDecided(signup_id, state)
    : Conflict.signupBusy(signup_id)
