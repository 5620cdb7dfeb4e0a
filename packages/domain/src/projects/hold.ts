import { Conflict, NotFound } from "@portico/contract/Failures"
import type { HoldReason } from "@portico/store/Credentials"
import { Holds } from "@portico/store/Holds"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"

/**
 * Marks a project that is going to be deleted or closed, and suspends its
 * machine credentials. From then on every change is refused (409, see
 * `Conflict.closing`), and reads still work. Repeatable.
 *
 * Errors: 404 for an unknown tenant; 409 while its quotas are being written.
 */
export const holdProject = Effect.fn("projects.hold")(function* (projectId: string, reason: HoldReason) {
  const held = yield* (yield* Holds).hold(projectId, reason)
  if (held === "absent") return yield* NotFound.project(projectId)
  if (held === "changing") return yield* Conflict.tierMoveInProgress(projectId)
  // Other processes are notified; this one drops its cached records at once.
  yield* (yield* Records).forgetProject(projectId)
})
