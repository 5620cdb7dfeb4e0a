import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed, WhileClosing } from "./Access.ts"
import { failures } from "./Failures.ts"
import { pageFields, pageQuery } from "./Page.ts"
import { Tier } from "./Tiers.ts"

/** `deleting`: the project is being destroyed, or its account is closing, and nothing in it can be changed. */
export const ProjectState = Schema.Literals(["live", "deleting"])
export type ProjectState = typeof ProjectState.Type

const project = {
  project_id: Schema.String,
  /** The platform's name of the project, which confirms a deletion. */
  project_name: Schema.String,
  /** The organisation's name. */
  tenant_name: Schema.String,
  /** The same as `tenant_name`. */
  name: Schema.String,
  tier: Tier,
  suspended: Schema.Boolean,
  state: ProjectState,
  /** Why the project is not live: `project_deletion`, `account_closure`. */
  closing: Schema.Array(Schema.String),
  created_at: Schema.String
}

export const ProjectRow = Schema.Struct(project).annotate({ identifier: "Project" })
export type ProjectRow = typeof ProjectRow.Type

/** One kind of resource, or one act at the end. `left` is null until the kind was listed. */
export const PurgeStep = Schema.Struct({
  /** `compute/servers` */
  step: Schema.String,
  state: Schema.Literals(["waiting", "running", "done"]),
  done: Schema.Int,
  left: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "PurgeStep" })
export type PurgeStep = typeof PurgeStep.Type

/**
 * `purging`: the resources are being removed, and the deletion can be
 * cancelled. `finishing`: the users are being removed; there is no way back.
 * `restoring`: the deletion was refused or cancelled, and the project is being
 * restored. `refused`, `cancelled`: over, and the project is live.
 */
export const PurgeState = Schema.Literals(["purging", "finishing", "restoring", "refused", "cancelled"])
export type PurgeState = typeof PurgeState.Type

/** What stopped a purge for good, with the refusing system's message. */
export const PurgeRefusal = Schema.Struct({ step: Schema.String, words: Schema.String }).annotate({
  identifier: "PurgeRefusal"
})
export type PurgeRefusal = typeof PurgeRefusal.Type

export const Deletion = Schema.Struct({
  state: PurgeState,
  steps: Schema.Array(PurgeStep),
  /** The sums over all steps. */
  done: Schema.Int,
  left: Schema.Int,
  /** Null unless it was refused. */
  refusal: Schema.NullOr(PurgeRefusal),
  /** The reason of the last pause; the purge resumes by itself. */
  last_failure: Schema.NullOr(Schema.String),
  started_at: Schema.String
}).annotate({ identifier: "Deletion" })
export type Deletion = typeof Deletion.Type

/** `deletion`: the one under way, or the last one that was refused or cancelled. */
export const ProjectDetail = Schema.Struct({ ...project, deletion: Schema.NullOr(Deletion) }).annotate({
  identifier: "ProjectDetail"
})
export type ProjectDetail = typeof ProjectDetail.Type

const Named = Schema.Struct({ id: Schema.String, name: Schema.String }).annotate({ identifier: "NamedThing" })

/**
 * What a deletion would destroy, and what cannot be listed. A service without
 * an answer is in `unseen`, never counted as empty.
 */
export const Contents = Schema.Struct({
  project_id: Schema.String,
  surveyed_at: Schema.String,
  contents: Schema.Array(
    Schema.Struct({
      service: Schema.String,
      kind: Schema.String,
      count: Schema.Int,
      /** The first resources of the list. */
      first: Schema.Array(Named),
      /** Resources for which a deletion would be refused now: locked or protected ones. */
      guarded: Schema.Array(Schema.Struct({ ...Named.fields, why: Schema.String }))
    })
  ),
  unseen: Schema.Array(Schema.Struct({ service: Schema.String, kind: Schema.String, reason: Schema.String }))
}).annotate({ identifier: "ProjectContents" })
export type Contents = typeof Contents.Type

export const DeletionCancelled = Schema.Struct({
  project: ProjectRow,
  /** The ids of the restored credentials. */
  restored_credentials: Schema.Array(Schema.String)
}).annotate({ identifier: "DeletionCancelled" })
export type DeletionCancelled = typeof DeletionCancelled.Type

const projectId = { project_id: Schema.String }

/** Both planes. An administrator sees every project, a tenant those of its account. */
export class Projects extends HttpApiGroup.make("projects")
  .add(
    HttpApiEndpoint.get("list", "/projects", {
      query: pageQuery,
      success: Schema.Struct({ ...pageFields, projects: Schema.Array(ProjectRow) }).annotate({
        identifier: "ProjectList"
      }),
      error: failures("tenant_required")
    }),
    HttpApiEndpoint.get("show", "/projects/:project_id", {
      params: projectId,
      success: ProjectDetail,
      error: failures("project_not_found")
    }),
    HttpApiEndpoint.get("contents", "/projects/:project_id/contents", {
      params: projectId,
      success: Contents,
      error: failures("project_not_found")
    }),
    HttpApiEndpoint.delete("remove", "/projects/:project_id", {
      params: projectId,
      query: { confirm: Schema.optionalKey(Schema.String) },
      success: ProjectDetail.pipe(HttpApiSchema.status(202)),
      error: failures(
        "concurrent_deletion_state",
        "deletion_not_confirmed",
        "owner_required",
        "project_not_found",
        "tier_move_in_progress"
      )
    })
      // This endpoint decides by the id: another project's 404 is the same whatever the state of the caller's own is.
      .annotate(WhileClosing, true)
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}

/** Operator plane. */
export class Deletions extends HttpApiGroup.make("deletions")
  .add(
    HttpApiEndpoint.post("cancel", "/tenants/:project_id/deletion/cancel", {
      params: projectId,
      success: DeletionCancelled,
      error: failures(
        "deletion_past_return",
        "deletion_step_under_way",
        "not_being_deleted",
        "project_not_found",
        "upstream_failed"
      )
    })
  )
  // The role decides; an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
