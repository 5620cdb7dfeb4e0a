import { Accounts } from "@portico/store/Accounts"
import { type Wake, Wakes } from "@portico/store/Wakes"
import { Data, Effect } from "effect"
import { purgeProject } from "../projects/purge.ts"
import { orLogged } from "../reconcile.ts"

/** Schedules the wake again after a pause. */
class RetryLater extends Data.TaggedError("RetryLater")<{ readonly why: string }> {}

/**
 * Waits for the next due wake and does what the account's row then demands. That may be nothing:
 * the account was reopened, or another wake destroys it. A refused purge is retried after growing
 * pauses, and another process takes over after a crash or a stop, so every step here is idempotent.
 * A retry is logged.
 */
export const attendWake = Effect.flatMap(Wakes, (wakes) => wakes.take(destroy)).pipe(
  Effect.catchTag("RetryLater", ({ why }) => Effect.logWarning("an account is tried again later", why))
)

/**
 * Purges all projects, even after one refuses, and then ends the account.
 *
 * @param id the wake's id; the account's row must name it
 */
export const destroy = Effect.fn("accounts.destroy")(function* ({ account, closure }: Wake, id: string) {
  const accounts = yield* Accounts
  const entry = yield* accounts.begin(account, closure, id)
  if (entry === undefined) return yield* nothingToDo(account, closure)

  const refusals = yield* Effect.forEach(entry.projects, purge)
  const refused = refusals.filter((_) => _ !== undefined)
  if (refused.length === 0 && (yield* accounts.destroy(account, id)) !== undefined) return
  const why = refused.length === 0 ? "a project is left" : refused.join("; ")
  yield* accounts.refuse(account, id, why)
  return yield* new RetryLater({ why: `account ${account}: ${why}` })
})

/** The database's clock can be set back, so a wake may be early; it is then scheduled again. */
const nothingToDo = Effect.fnUntraced(function* (account: number, closure: string) {
  const entry = yield* (yield* Accounts).find(account)
  const waits = entry?.state === "closing" && entry.closure === closure && entry.destroyer === null
  if (waits) return yield* new RetryLater({ why: `the window of account ${account} is not over` })
})

/** The refusal of a purge. A defect counts as a refusal too, so that it is visible and retried. */
const purge = (projectId: string) =>
  orLogged(
    Effect.map(purgeProject(projectId), (refusal) => refusal && `${projectId}: ${refusal.step}: ${refusal.words}`),
    `the purge of project ${projectId} is broken`,
    Effect.succeed(`${projectId}: it is broken`)
  )
