import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound, Unprocessable } from "@portico/contract/Failures"
import { Purges } from "@portico/store/Purges"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { withProjectEvents } from "../credentials/events.ts"
import { holdProject } from "./hold.ts"
import { toDetail, visibleProject } from "./show.ts"

/** A request to delete a project. */
export interface Removal {
  readonly projectId: string
  /** The project's name, against the deletion of a project that was not meant. */
  readonly confirm: string | undefined
  /** Written to the events of what is destroyed. */
  readonly requestId: string
}

/**
 * Begins the deletion of a project in one transaction: marks it, holds its
 * machine credentials, and leaves the rest to {@link reconcilePurges}. Two
 * concurrent requests begin one deletion.
 *
 * Errors: the same 404 for an unknown project and another account's; 403
 * without the owner's role; 409 while it is being deleted or closed, and while
 * its quotas are being written; 422 when `confirm` is not its name.
 */
export const removeProject = Effect.fn("projects.remove")(function* (
  caller: Caller,
  { confirm, projectId, requestId }: Removal
) {
  const tenant = yield* visibleProject(caller, projectId)
  if (!caller.admin && caller.role !== "customer-owner") return yield* Forbidden.ownerRequired()
  if (tenant.closing.length > 0) return yield* Conflict.closing()
  if (confirm !== tenant.slug) return yield* Unprocessable.notConfirmed(tenant.slug)

  const begin = Effect.gen(function* () {
    // A concurrent second request waits here, and then finds the first one's purge.
    yield* holdProject(projectId, "project_deletion")
    const purge = { project_id: projectId, reason: "project_deletion", requested_by: caller.userId } as const
    const opened = yield* (yield* Purges).open({ ...purge, request_id: requestId })
    if (opened === undefined) return yield* Conflict.closing()
    return yield* (yield* Tenants).find(projectId)
  })
  const marked = yield* (yield* RunToCompletion).run(withProjectEvents([projectId], begin))
  return yield* marked === undefined ? NotFound.project(projectId) : toDetail(marked)
})
