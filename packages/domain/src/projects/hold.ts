import { Conflict, NotFound } from "@portico/contract/Failures"
import type { HoldReason } from "@portico/store/Credentials"
import { Holds } from "@portico/store/Holds"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"

/**
 * Marks a project that is going to be deleted or closed, and suspends its
 * machine credentials. From then on everything that would change it is refused
 * (409, see `Conflict.closing`), and what is there can be read. Repeatable.
 *
 * Errors: 404 for no tenant of ours; 409 while its quotas are being written.
 */
export const holdProject = Effect.fn("projects.hold")(function* (projectId: string, reason: HoldReason) {
  const held = yield* (yield* Holds).hold(projectId, reason)
  if (held === "absent") return yield* NotFound.project(projectId)
  if (held === "changing") return yield* Conflict.tierMoveInProgress(projectId)
  // Other processes hear of it; this one's next call is decided by it.
  yield* (yield* Records).forgetProject(projectId)
})
