import type { Reopened } from "@portico/contract/Accounts"
import { Conflict, NotFound } from "@portico/contract/Failures"
import { type AccountEntry, Accounts } from "@portico/store/Accounts"
import { Holds } from "@portico/store/Holds"
import { Transactions } from "@portico/store/Transactions"
import { DateTime, Effect } from "effect"
import { withProjectEvents } from "../credentials/events.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { numberOf, toRow } from "./show.ts"

/**
 * Reopens a closing account within its window. One transaction drops the marks and reactivates the
 * credentials that only the closing held. A project that is also being deleted stays held for that
 * reason. No upstream is called, because the closing has changed none.
 *
 * Errors: 404 for an unknown number; 409 for an account that is not closing, whose window is over,
 * or whose destruction has begun.
 */
export const reopenAccount = Effect.fn("accounts.reopen")(function* (written: string) {
  const number = yield* numberOf(written)
  const restoring = (yield* Transactions).atomically(restore(number))
  return yield* (yield* RunToCompletion).run(
    Effect.flatMap(restoring, ({ account, projects }) =>
      Effect.map(toRow(account), (account) => ({ account, projects }) satisfies Reopened)
    )
  )
})

const restore = Effect.fnUntraced(function* (number: number) {
  const accounts = yield* Accounts
  const entry = yield* accounts.lock(number)
  if (entry === undefined) return yield* NotFound.account(String(number))
  const account = yield* accounts.reopen(number)
  if (account === undefined) return yield* refusal(entry)

  const holds = yield* Holds
  const released = Effect.forEach(entry.projects, (project_id) =>
    Effect.map(holds.release(project_id, "account_closure"), (restored) => ({
      project_id,
      restored_credentials: restored ?? []
    }))
  )
  const projects = yield* withProjectEvents(entry.projects, released)
  return { account, projects }
})

const refusal = ({ closes_at, destroyer, number, state }: AccountEntry) => {
  if (state !== "closing" || closes_at === null) return Conflict.accountNotClosing(number, state)
  return destroyer === null
    ? Conflict.accountWindowOver(number, DateTime.formatIso(closes_at))
    : Conflict.accountDestroying(number)
}
