import type { Caller } from "@portico/contract/Access"
import { NotFound } from "@portico/contract/Failures"
import { withWords } from "@portico/contract/formerWords"
import type { Deletion, ProjectDetail, ProjectRow } from "@portico/contract/Projects"
import { Accounts } from "@portico/store/Accounts"
import { type PurgeEntry, Purges } from "@portico/store/Purges"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { DateTime, Effect } from "effect"
import { survey } from "./survey.ts"

/** Errors: the same 404 for an unknown project and another account's. */
export const showProject = Effect.fn("projects.show")(function* (caller: Caller, projectId: string) {
  return yield* toDetail(yield* visibleProject(caller, projectId))
})

/** What a deletion would destroy, see {@link survey}. Errors: those of {@link showProject}. */
export const showContents = Effect.fn("projects.contents")(function* (caller: Caller, projectId: string) {
  const { project_id } = yield* visibleProject(caller, projectId)
  return yield* survey(project_id, caller.tenant?.projectId ?? `administrators of ${project_id}`)
})

export const toWire = ({ closing, created_at, name, project_id, slug, suspended, tier }: TenantEntry): ProjectRow => ({
  project_id,
  project_name: slug,
  tenant_name: name,
  name,
  tier,
  suspended,
  state: closing.length === 0 ? "live" : "deleting",
  closing,
  created_at: DateTime.formatIso(created_at)
})

const deletionOf = ({ failure, progress, refusal, started_at, state }: PurgeEntry): Deletion => ({
  state,
  steps: progress,
  done: progress.reduce((sum, _) => sum + _.done, 0),
  left: progress.reduce((sum, _) => sum + (_.left ?? 0), 0),
  refusal: refusal && withWords(refusal),
  last_failure: failure,
  started_at: DateTime.formatIso(started_at)
})

/** A project with its deletion: the one under way, or the last one that was refused or cancelled. */
export const toDetail = Effect.fnUntraced(function* (tenant: TenantEntry) {
  const purge = yield* (yield* Purges).find(tenant.project_id)
  return {
    ...toWire(tenant),
    deletion: purge === undefined ? null : deletionOf(purge)
  } satisfies ProjectDetail
})

/**
 * A project that the caller may see: any for an administrator, those of its
 * account for a tenant. Every other one is the same 404 as an unknown one.
 */
export const visibleProject = Effect.fnUntraced(function* (caller: Caller, projectId: string) {
  // Asked first: a project that the caller does not see is not looked for, and so costs what an unknown one costs.
  if (!(yield* sees(caller, projectId))) return yield* NotFound.project(projectId)
  return (yield* (yield* Tenants).find(projectId)) ?? (yield* NotFound.project(projectId))
})

const sees = Effect.fnUntraced(function* (caller: Caller, projectId: string) {
  if (caller.admin || caller.tenant?.projectId === projectId) return true
  if (caller.tenant === null) return false
  const account = yield* (yield* Accounts).findByProject(caller.tenant.projectId)
  return account?.projects.includes(projectId) === true
})
