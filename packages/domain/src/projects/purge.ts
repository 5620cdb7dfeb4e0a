import type { PurgeRefusal } from "@portico/contract/Projects"
import { Holds } from "@portico/store/Holds"
import { growingPause } from "@portico/store/leased"
import { type PurgeEntry, Purges } from "@portico/store/Purges"
import { Tenants } from "@portico/store/Tenants"
import { Array, Duration, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Records } from "../access/Records.ts"
import { tellingOfAll } from "../credentials/told.ts"
import { reconcile, underLease } from "../reconcile.ts"
import { empty, tellOfTheGone } from "./empty.ts"
import { finish } from "./finish.ts"
import { bringBack } from "./restore.ts"
import { Lost, Paused, Refused, type Run, runOf } from "./Run.ts"

/** So often may a purge stop, with nothing removed in between, before that counts as a refusal. */
const mostFailures = 12

const pauseAfter = growingPause({ first: Duration.seconds(5), longest: Duration.minutes(5) })

/**
 * Destroys a project with everything that it has, wherever that is, and ends
 * with its rows (see {@link finish}). Repeatable: a try that was cut short,
 * by a failure or by the death of its process, is taken up where it was.
 *
 * @returns undefined when the project is gone; what refused or failed
 * otherwise, and then the project is held as before
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
    const words = "a deletion of the project is under way"
    return (yield* isGone(projectId)) ? undefined : ({ step: "deletion", words } satisfies PurgeRefusal)
  }
  const run = yield* runOf(entry)
  return yield* destroy(run).pipe(
    Effect.as(undefined),
    Effect.catchTags({
      Refused: ({ step, words }) => letGo(run, { step, words }),
      Paused: ({ step, words }) => letGo(run, { step, words }),
      // Somebody else goes on with the deletion, or brings it to nothing.
      Cancelled: () => letGo(run, { step: "deletion", words: "it was cancelled" }),
      Lost: () => lost(run)
    }),
    Effect.onInterrupt(() => purges.release(run.entry(), {}, Duration.zero))
  )
})

/** Either somebody else has the work by now, or has finished it, and then nothing is left to do. */
const lost = Effect.fnUntraced(function* (run: Run) {
  if (!(yield* isGone(run.projectId))) return { step: "deletion", words: "another process works on it" }
  yield* (yield* Purges).close(run.entry())
})

const letGo = Effect.fnUntraced(function* (run: Run, refusal: PurgeRefusal) {
  yield* (yield* Purges).release(run.entry(), { failure: wordsOf(refusal) }, Duration.zero)
  return refusal
})

const isGone = (projectId: string) =>
  Effect.map(
    Effect.flatMap(Tenants, (_) => _.find(projectId)),
    (_) => _ === undefined
  )

/** Takes up deletions that are due, one after the other, until none is left. Every replica runs it. */
export const reconcilePurges = Effect.gen(function* () {
  const purges = yield* Purges
  const claim = Effect.map(purges.claim({ reason: "project_deletion" }), Array.fromNullishOr)
  return yield* reconcile({ what: "a deletion of a project", claim, batch: 1, step: reconcilePurge })
}).pipe(Effect.withSpan("projects.reconcilePurges"))

/**
 * One try at a deletion: forward until the project is gone, or back when it
 * was refused or cancelled. What may pass is tried again after a growing
 * pause; what is broken too, and is logged.
 *
 * @param entry a row whose lease the caller holds
 */
export const reconcilePurge = Effect.fn("projects.reconcilePurge")(function* (entry: PurgeEntry) {
  const run = yield* runOf(entry)
  const forward = entry.state === "restoring" ? goBack(run) : Effect.catchTags(destroy(run), turns(run))
  const step = Effect.catchTags(forward, {
    Paused: (paused) => rest(run, paused),
    Lost: () => Effect.logWarning("a purge passed to another process", { project: run.projectId })
  })
  yield* underLease(step, {
    what: `the purge of the project ${run.projectId}`,
    broken: rest(run, new Paused({ step: "purge", words: "it is broken" })),
    interrupted: Effect.flatMap(Purges, (_) => _.release(run.entry(), {}, Duration.zero))
  })
})

const destroy = Effect.fnUntraced(function* (run: Run) {
  const tenant = yield* (yield* Tenants).find(run.projectId)
  if (tenant === undefined) return yield* new Lost()
  // Whatever went wrong before, nothing of a live project is destroyed.
  if (tenant.closing.length === 0) return yield* new Refused({ step: "mark", words: "the project is live" })
  if (run.entry().state !== "finishing") {
    yield* empty(run)
    yield* run.passReturn
  }
  yield* finish(run)
})

const turns = (run: Run) => ({
  Refused: (refused: Refused) => giveUp(run, refused),
  Cancelled: () => Effect.andThen(run.keep({ state: "restoring" }), goBack(run)),
  Paused: (paused: Paused) =>
    run.entry().state === "finishing" || failuresOf(run) < mostFailures ? Effect.fail(paused) : giveUp(run, paused)
})

const giveUp = (run: Run, { step, words }: Refused | Paused) =>
  Effect.andThen(run.keep({ state: "restoring", refusal: { step, words } }), goBack(run))

/** The tenant's network and credentials work again, and the row says why it came to nothing. There is no further back. */
const goBack = Effect.fnUntraced(function* (run: Run) {
  yield* Effect.catchTag(tellOfTheGone(run), ["Refused", "Paused"], ({ step, words }) =>
    failuresOf(run) < mostFailures
      ? new Paused({ step, words })
      : Effect.logError("what a purge destroyed cannot be told to the billing ledger", run.entry().ending)
  )
  yield* Effect.catchTag(
    bringBack(run.projectId),
    "UpstreamError",
    ({ sentence }) => new Paused({ step: "restore", words: sentence })
  )
  yield* tellingOfAll([run.projectId], unmark(run))
  yield* (yield* Records).forgetProject(run.projectId)
})

/** Together, so that what was restored is named, and once. */
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

/** How often it has stopped, this time included, since something was last removed. */
const failuresOf = (run: Run): number => (doneOf(run.entry()) > doneOf(run.claimed) ? 1 : run.claimed.failures + 1)

const doneOf = ({ progress }: PurgeEntry): number => progress.reduce((sum, _) => sum + _.done, 0)

const rest = Effect.fnUntraced(function* (run: Run, paused: Paused) {
  const failures = failuresOf(run)
  const failure = wordsOf(paused)
  yield* Effect.logWarning("a purge pauses", { project: run.projectId, failure, failures })
  yield* (yield* Purges).release(run.entry(), { failure, failures }, pauseAfter(failures))
})

const wordsOf = ({ step, words }: PurgeRefusal): string => `${step}: ${words}`
