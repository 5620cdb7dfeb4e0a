import type { Caller } from "@portico/contract/Access"
import { Effect } from "effect"
import { survey } from "./survey.ts"
import { projectDetail, visibleProject } from "./view.ts"

/** Errors: the same 404 for an unknown project and another account's. */
export const showProject = Effect.fn("projects.show")(function* (caller: Caller, projectId: string) {
  return yield* projectDetail(yield* visibleProject(caller, projectId))
})

/** What a deletion would destroy, see {@link survey}. Errors: those of {@link showProject}. */
export const showContents = Effect.fn("projects.contents")(function* (caller: Caller, projectId: string) {
  const { project_id } = yield* visibleProject(caller, projectId)
  return yield* survey(project_id)
})
