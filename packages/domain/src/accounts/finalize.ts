import type { Caller } from "@portico/contract/Access"
import type { FinalizeRequest } from "@portico/contract/Accounts"
import { Conflict, NotFound } from "@portico/contract/Failures"
import { Accounts } from "@portico/store/Accounts"
import { Transactions } from "@portico/store/Transactions"
import { DateTime, Effect } from "effect"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { numberOf, toRow } from "./show.ts"

/**
 * Orders the destruction of a closing account: after its window, or earlier for a stated reason.
 * Any replica destroys the account in the background; from here on nothing restores it. While the
 * destruction is under way, the same request changes nothing. After a refusal it starts the
 * next attempt at once.
 *
 * Errors: 404 for an unknown number; 409 for an account that is not closing, and within the window
 * without a reason.
 */
export const finalizeAccount = Effect.fn("accounts.finalize")(function* (
  caller: Caller,
  written: string,
  { reason }: FinalizeRequest
) {
  const number = yield* numberOf(written)
  const condemning = (yield* Transactions).atomically(condemn(number, caller, reason ?? null))
  return yield* (yield* RunToCompletion).run(Effect.flatMap(condemning, toRow))
})

const condemn = Effect.fnUntraced(function* (number: number, caller: Caller, reason: string | null) {
  const accounts = yield* Accounts
  const entry = yield* accounts.lock(number)
  if (entry === undefined) return yield* NotFound.account(String(number))
  const { closes_at, destroyer, state } = entry
  if (state !== "closing" || closes_at === null) {
    return yield* Conflict.accountNotClosing(number, state)
  }

  const condemned = yield* accounts.condemn(number, { by: caller.userId, reason })
  if (condemned !== undefined) return condemned
  return destroyer === null ? yield* Conflict.accountInWindow(number, DateTime.formatIso(closes_at)) : entry
})
