import { type PageRequest, pageOf } from "@portico/contract/Page"
import type { SignupState } from "@portico/contract/Signups"
import { Signups } from "@portico/store/Signups"
import { DateTime, Effect } from "effect"
import { signupRow } from "./row.ts"

/** A page of the queue, oldest first; without `state`, signups of every state. */
export const listSignups = Effect.fn("signups.list")(function* (state: SignupState | undefined, request: PageRequest) {
  const { count, rows } = yield* (yield* Signups).page({ ...request, state })
  const page = pageOf(rows, request, (_) => ({ at: DateTime.toEpochMillis(_.created_at), id: _.signup_id }))
  return { count, next_cursor: page.next_cursor, signups: page.rows.map(signupRow) }
})
