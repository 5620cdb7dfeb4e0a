import { BadGateway, Conflict, NotFound } from "@portico/contract/Failures"
import type { DeletionCancelled } from "@portico/contract/Projects"
import { type PurgeEntry, Purges } from "@portico/store/Purges"
import { Tenants } from "@portico/store/Tenants"
import { Duration, Effect, Schedule } from "effect"
import { RunToCompletion } from "../RunToCompletion.ts"
import { reconcilePurge } from "./purge.ts"
import { projectRow } from "./view.ts"

/** How long the caller waits for the step that is under way, and how often it is looked at. */
const patience = Duration.seconds(20)
const pause = Duration.millis(500)

/**
 * Takes a deletion back: the wish is written down, wins between two steps of
 * the purge, and is carried out by whoever has the purge, here or in another
 * process: what every tenant has is brought back, the mark is dropped, the
 * credentials work again. What was destroyed before stays destroyed.
 *
 * Errors: 404 for no project; 409 when it is not being deleted, when its users
 * are being removed already, and when the step under way takes long: then it
 * is cancelled behind that; 502 when it cannot be restored yet, which is tried
 * again by itself.
 */
export const cancelDeletion = Effect.fn("projects.cancel")(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant === undefined) return yield* NotFound.project(projectId)
  const purges = yield* Purges
  const wished = yield* purges.cancel(projectId)
  if (wished === undefined) return yield* tooLate(projectId)

  return yield* (yield* RunToCompletion).run(
    Effect.gen(function* () {
      const entry = yield* purges.claim({ projectId })
      if (entry !== undefined) yield* reconcilePurge(entry)
      return yield* outcome(projectId)
    })
  )
})

const tooLate = Effect.fnUntraced(function* (projectId: string) {
  const entry = yield* (yield* Purges).find(projectId)
  return yield* entry?.state === "finishing" && entry.reason === "project_deletion"
    ? Conflict.deletionPastReturn(projectId)
    : Conflict.notBeingDeleted(projectId)
})

const outcome = Effect.fnUntraced(function* (projectId: string) {
  const entry = yield* Effect.flatMap(Purges, (_) => _.find(projectId)).pipe(
    Effect.repeat({ until: isSettled, schedule: Schedule.spaced(pause) }),
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.flatMap(Purges, (_) => _.find(projectId)) })
  )
  const tenant = yield* (yield* Tenants).find(projectId)
  if (entry === undefined || tenant === undefined) return yield* Conflict.deletionPastReturn(projectId)
  if (entry.state === "cancelled" || entry.state === "refused") {
    return { project: projectRow(tenant), restored_credentials: entry.restored } satisfies DeletionCancelled
  }
  if (entry.state === "finishing") return yield* Conflict.deletionPastReturn(projectId)
  if (entry.lease === null) {
    return yield* BadGateway.upstream(entry.failure ?? "the project cannot be restored yet", true)
  }
  const step = entry.progress.find((_) => _.state === "running")?.step ?? "look"
  return yield* Conflict.deletionStepUnderWay(projectId, entry.state === "restoring" ? "restore" : step)
})

/** Nobody is at work on it any more, or it can no longer be cancelled. */
const isSettled = (entry: PurgeEntry | undefined): boolean =>
  entry === undefined || entry.lease === null || entry.state === "finishing"
