import { Accounts } from "@portico/store/Accounts"
import { type Wake, Wakes } from "@portico/store/Wakes"
import { Data, Effect } from "effect"
import { purgeProject } from "../projects/purge.ts"
import { orLogged } from "../reconcile.ts"

/** The wake comes again after a pause. */
class Again extends Data.TaggedError("Again")<{ readonly why: string }> {}

/**
 * Waits for the next wake, and does what the row of its account says is to be
 * done. That may be nothing: it was reopened, or another wake destroys it.
 * What refuses is tried again after growing pauses, and what a crash or a stop
 * cuts off is taken up by another process, so that everything here may run
 * again. A wake that comes again is told of in the log.
 */
export const attendWake = Effect.flatMap(Wakes, (wakes) => wakes.take(destroy)).pipe(
  Effect.catchTag("Again", ({ why }) => Effect.logWarning("an account is tried again later", why))
)

/**
 * Purges all projects, past one that refuses too, and then ends the account.
 *
 * @param id the wake's, which has to be the one that the account is left to
 */
export const destroy = Effect.fn("accounts.destroy")(function* ({ account, closure }: Wake, id: string) {
  const accounts = yield* Accounts
  const entry = yield* accounts.begin(account, closure, id)
  if (entry === undefined) return yield* nothingToDo(account, closure)

  const refusals = yield* Effect.forEach(entry.projects, purge)
  const words = refusals.filter((_) => _ !== undefined)
  if (words.length === 0 && (yield* accounts.destroy(account, id)) !== undefined) return
  const why = words.length === 0 ? "a project is left" : words.join("; ")
  yield* accounts.refuse(account, id, why)
  return yield* new Again({ why: `account ${account}: ${why}` })
})

/** The clock of a database can be set back, so a wake may be early; then it must not be lost. */
const nothingToDo = Effect.fnUntraced(function* (account: number, closure: string) {
  const entry = yield* (yield* Accounts).find(account)
  const waits = entry?.state === "closing" && entry.closure === closure && entry.destroyer === null
  if (waits) return yield* new Again({ why: `the window of account ${account} is not over` })
})

/** What refuses, in its own words. What is broken is a refusal too, so that it can be seen and is tried again. */
const purge = (projectId: string) =>
  orLogged(
    Effect.map(purgeProject(projectId), (refusal) => refusal && `${projectId}: ${refusal.step}: ${refusal.words}`),
    `the purge of project ${projectId} is broken`,
    Effect.succeed(`${projectId}: it is broken`)
  )
