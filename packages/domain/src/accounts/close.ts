import type { Caller } from "@portico/contract/Access"
import type { CloseRequest } from "@portico/contract/Accounts"
import { Conflict, Forbidden, NotFound, Unprocessable } from "@portico/contract/Failures"
import { type AccountEntry, Accounts } from "@portico/store/Accounts"
import { Transactions } from "@portico/store/Transactions"
import { Effect } from "effect"
import { withProjectEvents } from "../credentials/events.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { holdProject } from "../projects/hold.ts"
import { ClosureWindow } from "./ClosureWindow.ts"
import { accountFor, toWire } from "./show.ts"

/**
 * Closes an account. One transaction marks the account's row, with the end of its window, and holds
 * all its projects. Nothing is destroyed and no upstream is called, so a reopening restores
 * everything.
 *
 * Errors: 403 for a caller that is neither an owner of the account nor a platform administrator;
 * 404 for a project without an account; 409 when the account is closed already, or while quotas of
 * one of its projects are being written; 422 when `confirm` is not the account's name.
 */
export const closeAccount = Effect.fn("accounts.close")(function* (
  caller: Caller,
  override: string | undefined,
  { confirm, reason }: CloseRequest
) {
  const { name, number } = yield* accountFor(caller, override)
  if (!caller.admin && caller.role !== "customer-owner") return yield* Forbidden.ownerRequired()
  if (confirm !== name) return yield* Unprocessable.closingNotConfirmed(name)
  const closing = mark(number, caller, reason ?? null)
  return yield* (yield* RunToCompletion).run(Effect.flatMap((yield* Transactions).atomically(closing), toWire))
})

/** Every change locks the account's row first, so two changes of one account queue up and cannot deadlock. */
const mark = Effect.fnUntraced(function* (number: number, caller: Caller, reason: string | null) {
  const accounts = yield* Accounts
  const entry = yield* accounts.lock(number)
  if (entry === undefined) return yield* NotFound.account(String(number))
  if (entry.state !== "open") return yield* Conflict.closing()

  return yield* withProjectEvents(entry.projects, holdAll(entry, caller, reason))
})

const holdAll = Effect.fnUntraced(function* (
  { number, projects }: AccountEntry,
  caller: Caller,
  reason: string | null
) {
  for (const projectId of projects) {
    // A project whose deletion has just completed needs no hold.
    yield* Effect.catchTag(holdProject(projectId, "account_closure"), "NotFound", () => Effect.void)
  }
  const accounts = yield* Accounts
  const windowDays = (yield* ClosureWindow).days
  const closed = yield* accounts.close(number, { by: caller.userId, reason, windowDays })
  return closed ?? (yield* Effect.die(new Error(`account ${number} changed under its lock`)))
})
