import { BadGateway, Conflict, NotFound } from "@portico/contract/Failures"
import type { DeletionCancelled } from "@portico/contract/Projects"
import { type PurgeEntry, Purges } from "@portico/store/Purges"
import { Tenants } from "@portico/store/Tenants"
import { Duration, Effect, Schedule } from "effect"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { reconcilePurge } from "./purge.ts"
import { toWire } from "./show.ts"

/** How long the caller waits for the step under way, and how often the row is read meanwhile. */
const stepTimeout = Duration.seconds(20)
const pollInterval = Duration.millis(500)

/**
 * Cancels a deletion. The request is stored and takes effect between two steps
 * of the purge. The process that holds the purge, this one or another, carries
 * it out: it restores what every tenant has, drops the mark and reactivates the
 * credentials. What was destroyed before stays destroyed.
 *
 * Errors: 404 for an unknown project; 409 when it is not being deleted, when
 * its users are being removed already, when another deletion has begun since,
 * and when the step under way takes long: the deletion is then cancelled after
 * that step; 502 when the project cannot be restored yet, which is retried
 * without another call.
 */
export const cancelDeletion = Effect.fn("projects.cancel")(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant === undefined) return yield* NotFound.project(projectId)
  const purges = yield* Purges
  const stored = yield* purges.cancel(projectId)
  if (stored === undefined) return yield* tooLate(projectId)

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
    Effect.repeat({ until: isSettled, schedule: Schedule.spaced(pollInterval) }),
    Effect.timeoutOrElse({ duration: stepTimeout, orElse: () => Effect.flatMap(Purges, (_) => _.find(projectId)) })
  )
  const tenant = yield* (yield* Tenants).find(projectId)
  if (entry === undefined || tenant === undefined) return yield* Conflict.deletionPastReturn(projectId)
  // The deletion was cancelled and carried out, and another one has begun since.
  if (!entry.cancelled) return yield* Conflict.closing()
  if (entry.state === "cancelled" || entry.state === "refused") {
    return { project: toWire(tenant), restored_credentials: entry.restored } satisfies DeletionCancelled
  }
  if (entry.state === "finishing") return yield* Conflict.deletionPastReturn(projectId)
  if (entry.lease === null) {
    return yield* BadGateway.upstream(entry.failure ?? "the project cannot be restored yet", true)
  }
  const step = entry.progress.find((_) => _.state === "running")?.step ?? "look"
  return yield* Conflict.deletionStepUnderWay(projectId, entry.state === "restoring" ? "restore" : step)
})

/** No process works on the purge any more, it can no longer be cancelled, or it is another one. */
const isSettled = (entry: PurgeEntry | undefined): boolean =>
  entry === undefined || entry.lease === null || entry.state === "finishing" || !entry.cancelled
