import { type AccountEntry, Accounts } from "@portico/store/Accounts"
import { Effect } from "effect"
import { purgeProject } from "../projects/purge.ts"
import { Lost, renewing, underLease } from "../work/lease.ts"
import { reconcile } from "../work/reconcile.ts"

/** Destroys the accounts that are due, one after the other, until none is left. Any replica may run it. */
export const reconcileAccounts = Effect.gen(function* () {
  const claim = Effect.map((yield* Accounts).claim, (_) => (_ === undefined ? [] : [_]))
  return yield* reconcile({ what: "the destruction of an account", claim, batch: 1, step: destroyAccount })
}).pipe(Effect.withSpan("accounts.reconcile"))

/**
 * One attempt to destroy an account: purges all projects, even after one refuses, and then ends the
 * account. After a refusal it is due again after a growing pause. Another process takes over after a
 * crash or a stop, so every step here is idempotent.
 *
 * @param entry a row whose lease the caller holds
 */
export const destroyAccount = Effect.fn("accounts.destroy")(function* (entry: AccountEntry) {
  const accounts = yield* Accounts
  const renewal = Effect.filterOrFail(accounts.renew(entry), Boolean, () => new Lost())
  // Another process has the account by now, and ends what this one began.
  const attempted = Effect.catchTag(renewing(renewal)(attempt(entry)), "Lost", () => Effect.void)
  yield* underLease(attempted, {
    what: `the destruction of account ${entry.number}`,
    broken: accounts.refuse(entry, "it is broken"),
    interrupted: accounts.release(entry)
  })
})

const attempt = Effect.fnUntraced(function* (entry: AccountEntry) {
  const accounts = yield* Accounts
  const refusals: Array<string> = []
  for (const projectId of entry.projects) {
    const refusal = yield* purgeProject(projectId)
    if (refusal !== undefined) refusals.push(`${projectId}: ${refusal.step}: ${refusal.message}`)
  }
  if (refusals.length === 0 && (yield* accounts.destroy(entry)) !== undefined) return
  const why = refusals.length === 0 ? "a project is left" : refusals.join("; ")
  yield* accounts.refuse(entry, why)
  yield* Effect.logWarning("an account is tried again later", `account ${entry.number}: ${why}`)
})
