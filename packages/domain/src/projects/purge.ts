import { Holds } from "@portico/store/Holds"
import { growingPause } from "@portico/store/leased"
import { type PurgeEntry, Purges } from "@portico/store/Purges"
import type { StepMessage } from "@portico/store/StepMessage"
import { Tenants } from "@portico/store/Tenants"
import { Array, Duration, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Records } from "../access/Records.ts"
import { withProjectEvents } from "../credentials/events.ts"
import { Lost, renewing, underLease } from "../work/lease.ts"
import { reconcile } from "../work/reconcile.ts"
import { empty, publishDestroyed } from "./empty.ts"
import { finish } from "./finish.ts"
import { bringBack } from "./restore.ts"
import { Paused, Refused, type Run, runOf } from "./Run.ts"

/** How often a purge may pause, with nothing removed in between, before that counts as a refusal. */
const mostFailures = 12

const pauseAfter = growingPause({ first: Duration.seconds(5), longest: Duration.minutes(5) })

/**
 * Destroys a project with everything that it has, in every service, and ends
 * with its rows (see {@link finish}). Repeatable: an attempt that was cut
 * short, by a failure or by the death of its process, is continued.
 *
 * @returns undefined when the project is gone; otherwise what refused or
 * failed, and the project stays held
 */
export const purgeProject = Effect.fn("projects.purgeProject")(function* (projectId: string) {
  const purges = yield* Purges
  if (yield* isGone(projectId)) return undefined
  yield* purges.open({
    project_id: projectId,
    reason: "account_closure",
    requested_by: "account closure",
    request_id: randomUUID().replaceAll("-", "")
  })
  const entry = yield* purges.claim({ projectId })
  if (entry === undefined || entry.state === "restoring") {
    if (entry !== undefined) yield* purges.release(entry, {}, Duration.zero)
    const message = "a deletion of the project is under way"
    return (yield* isGone(projectId)) ? undefined : ({ step: "deletion", message } satisfies StepMessage)
  }
  const run = yield* runOf(entry)
  const step = destroy(run).pipe(
    Effect.as(undefined),
    Effect.catchTags({
      Refused: ({ step, message }) => releaseWith(run, { step, message }),
      Paused: ({ step, message }) => releaseWith(run, { step, message }),
      // The process that holds the deletion continues it or restores the project.
      Cancelled: () => releaseWith(run, { step: "deletion", message: "it was cancelled" }),
      Lost: () => lost(run)
    })
  )
  return yield* underLease(step, {
    what: `the purge of the project ${projectId}`,
    broken: releaseWith(run, { step: "purge", message: "it is broken" }),
    interrupted: purges.release(run.entry(), {}, Duration.zero)
  })
})

/** Either another process works on it, or the project is gone and only the row has to be closed. */
const lost = Effect.fnUntraced(function* (run: Run) {
  if (!(yield* isGone(run.projectId))) return { step: "deletion", message: "another process works on it" }
  yield* (yield* Purges).close(run.entry())
})

const releaseWith = Effect.fnUntraced(function* (run: Run, refusal: StepMessage) {
  yield* (yield* Purges).release(run.entry(), { failure: messageOf(refusal) }, Duration.zero)
  return refusal
})

const isGone = (projectId: string) =>
  Effect.map(
    Effect.flatMap(Tenants, (_) => _.find(projectId)),
    (_) => _ === undefined
  )

/** Works on deletions that are due, one after the other, until none is left. Any replica may run it. */
export const reconcilePurges = Effect.gen(function* () {
  const purges = yield* Purges
  const claim = Effect.map(purges.claim({ reason: "project_deletion" }), Array.fromNullishOr)
  return yield* reconcile({ what: "a deletion of a project", claim, batch: 1, step: reconcilePurge })
}).pipe(Effect.withSpan("projects.reconcilePurges"))

/**
 * One attempt at a deletion: forward until the project is gone, or back when it
 * was refused or cancelled. A transient failure is retried after a growing
 * pause. A defect is retried too, and logged.
 *
 * @param entry a row whose lease the caller holds
 */
export const reconcilePurge = Effect.fn("projects.reconcilePurge")(function* (entry: PurgeEntry) {
  const run = yield* runOf(entry)
  const forward = entry.state === "restoring" ? restore(run) : Effect.catchTags(destroy(run), turns(run))
  const step = Effect.catchTags(forward, {
    Paused: (paused) => rest(run, paused),
    Lost: () => Effect.logWarning("a purge passed to another process", { project: run.projectId })
  })
  yield* underLease(step, {
    what: `the purge of the project ${run.projectId}`,
    broken: rest(run, new Paused({ step: "purge", message: "it is broken" })),
    interrupted: Effect.flatMap(Purges, (_) => _.release(run.entry(), {}, Duration.zero))
  })
})

const destroy = Effect.fnUntraced(function* (run: Run) {
  const tenant = yield* (yield* Tenants).find(run.projectId)
  if (tenant === undefined) return yield* new Lost()
  // A safeguard: nothing of a live project is destroyed.
  if (tenant.closing.length === 0) return yield* new Refused({ step: "mark", message: "the project is live" })
  if (run.entry().state !== "finishing") {
    yield* renewing(run.renewal)(empty(run))
    yield* run.passReturn
  }
  yield* finish(run)
})

const turns = (run: Run) => ({
  Refused: (refused: Refused) => giveUp(run, refused),
  Cancelled: () => Effect.andThen(run.keep({ state: "restoring" }), restore(run)),
  Paused: (paused: Paused) =>
    run.entry().state === "finishing" || failuresOf(run) < mostFailures ? Effect.fail(paused) : giveUp(run, paused)
})

const giveUp = (run: Run, { step, message }: Refused | Paused) =>
  Effect.andThen(run.keep({ state: "restoring", refusal: { step, message } }), restore(run))

/**
 * Restores the tenant's network and credentials; the row keeps the reason. This
 * direction cannot be refused or cancelled.
 */
const restore = Effect.fnUntraced(function* (run: Run) {
  yield* Effect.catchTag(publishDestroyed(run), ["Refused", "Paused"], ({ step, message }) =>
    failuresOf(run) < mostFailures
      ? new Paused({ step, message })
      : Effect.logError(
          "the end of what a purge destroyed cannot be published to the billing ledger",
          run.entry().ending
        )
  )
  yield* Effect.catchTag(
    renewing(run.renewal)(bringBack(run.projectId)),
    "UpstreamError",
    ({ summary }) => new Paused({ step: "restore", message: summary })
  )
  yield* withProjectEvents([run.projectId], unmark(run))
  yield* (yield* Records).forgetProject(run.projectId)
})

/** In one transaction, so that the restored credentials are recorded, and only once. */
const unmark = Effect.fnUntraced(function* (run: Run) {
  const restored = yield* (yield* Holds).release(run.projectId, "project_deletion")
  const state = run.entry().refusal === null ? "cancelled" : "refused"
  const done = yield* (yield* Purges).release(
    run.entry(),
    { state, restored: restored ?? [], failure: null, ending: [] },
    undefined
  )
  if (!done) return yield* new Lost()
})

/** How often the purge has paused since something was last removed, this time included. */
const failuresOf = (run: Run): number => (doneOf(run.entry()) > doneOf(run.claimed) ? 1 : run.claimed.failures + 1)

const doneOf = ({ progress }: PurgeEntry): number => progress.reduce((sum, _) => sum + _.done, 0)

const rest = Effect.fnUntraced(function* (run: Run, paused: Paused) {
  const failures = failuresOf(run)
  const failure = messageOf(paused)
  yield* Effect.logWarning("a purge pauses", { project: run.projectId, failure, failures })
  yield* (yield* Purges).release(run.entry(), { failure, failures }, pauseAfter(failures))
})

const messageOf = ({ step, message }: StepMessage): string => `${step}: ${message}`
