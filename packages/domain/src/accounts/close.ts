import type { Caller } from "@portico/contract/Access"
import type { CloseRequest } from "@portico/contract/Accounts"
import { Conflict, Forbidden, NotFound, Unprocessable } from "@portico/contract/Failures"
import { type AccountEntry, Accounts } from "@portico/store/Accounts"
import { Transactions } from "@portico/store/Transactions"
import { Wakes } from "@portico/store/Wakes"
import { Duration, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { tellingOfAll } from "../credentials/told.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { holdProject } from "../projects/hold.ts"
import { ClosureWindow } from "./ClosureWindow.ts"
import { accountFor, accountOf } from "./view.ts"

/**
 * Closes an account: its row is marked, all its projects are held, and the
 * wake at the end of the window is written down, in one transaction. Nothing
 * is destroyed, and no other system is asked, so that a reopening restores all
 * of it.
 *
 * Errors: 403 for whoever is neither an owner of the account nor a platform
 * administrator; 404 for a project of no account; 409 when it is closed
 * already, or while quotas of one of its projects are being written; 422 when
 * `confirm` is not its name.
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
  return yield* (yield* RunToCompletion).run(Effect.flatMap((yield* Transactions).atomically(closing), accountOf))
})

/** The row first, as everywhere, so that two who change one account wait for each other and not crosswise. */
const mark = Effect.fnUntraced(function* (number: number, caller: Caller, reason: string | null) {
  const accounts = yield* Accounts
  const entry = yield* accounts.lock(number)
  if (entry === undefined) return yield* NotFound.account(String(number))
  if (entry.state !== "open") return yield* Conflict.closing()

  return yield* tellingOfAll(entry.projects, holdAll(entry, caller, reason))
})

const holdAll = Effect.fnUntraced(function* (
  { number, projects }: AccountEntry,
  caller: Caller,
  reason: string | null
) {
  for (const projectId of projects) {
    // One whose deletion was completed a moment ago needs no hold.
    yield* Effect.catchTag(holdProject(projectId, "account_closure"), "NotFound", () => Effect.void)
  }
  const accounts = yield* Accounts
  const closure = randomUUID()
  const windowDays = (yield* ClosureWindow).days
  const closed = yield* accounts.close(number, { closure, by: caller.userId, reason, windowDays })
  if (closed === undefined) return yield* Effect.die(new Error(`account ${number} changed under its lock`))
  yield* (yield* Wakes).schedule(closure, { account: number, closure }, Duration.days(windowDays))
  return closed
})
