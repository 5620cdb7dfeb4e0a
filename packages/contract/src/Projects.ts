import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed, WhileClosing } from "./Access.ts"
import { failures } from "./Failures.ts"
import { pageFields, pageQuery } from "./Page.ts"
import { Tier } from "./Tiers.ts"

/** `deleting`: it is being destroyed, or its account is closing, and nothing in it can be changed. */
export const ProjectState = Schema.Literals(["live", "deleting"])
export type ProjectState = typeof ProjectState.Type

const project = {
  project_id: Schema.String,
  /** As the platform knows it, and as a deletion has to be confirmed. */
  project_name: Schema.String,
  /** The organisation's. */
  tenant_name: Schema.String,
  /** The same as `tenant_name`. */
  name: Schema.String,
  tier: Tier,
  suspended: Schema.Boolean,
  state: ProjectState,
  /** Why it is not live: `project_deletion`, `account_closure`. */
  closing: Schema.Array(Schema.String),
  created_at: Schema.String
}

export const ProjectRow = Schema.Struct(project).annotate({ identifier: "Project" })
export type ProjectRow = typeof ProjectRow.Type

/** One kind of thing, or one act at the end. `left` is null until it was looked at. */
export const PurgeStep = Schema.Struct({
  /** `compute/servers` */
  step: Schema.String,
  state: Schema.Literals(["waiting", "running", "done"]),
  done: Schema.Int,
  left: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "PurgeStep" })
export type PurgeStep = typeof PurgeStep.Type

/**
 * `purging`: what is there is being removed, and it can be cancelled.
 * `finishing`: its users are being removed; there is no way back. `restoring`:
 * it was refused or cancelled, and what it takes to be live is brought back.
 * `refused`, `cancelled`: over, and the project is live.
 */
export const PurgeState = Schema.Literals(["purging", "finishing", "restoring", "refused", "cancelled"])
export type PurgeState = typeof PurgeState.Type

/** What stopped a purge for good, in the words of the system that refused. */
export const PurgeRefusal = Schema.Struct({ step: Schema.String, words: Schema.String }).annotate({
  identifier: "PurgeRefusal"
})
export type PurgeRefusal = typeof PurgeRefusal.Type

export const Deletion = Schema.Struct({
  state: PurgeState,
  steps: Schema.Array(PurgeStep),
  /** Over all steps. */
  done: Schema.Int,
  left: Schema.Int,
  /** Null unless it was refused. */
  refusal: Schema.NullOr(PurgeRefusal),
  /** Why it last had to pause; it goes on by itself. */
  last_failure: Schema.NullOr(Schema.String),
  started_at: Schema.String
}).annotate({ identifier: "Deletion" })
export type Deletion = typeof Deletion.Type

/** `deletion`: the one under way, or the last one that came to nothing. */
export const ProjectDetail = Schema.Struct({ ...project, deletion: Schema.NullOr(Deletion) }).annotate({
  identifier: "ProjectDetail"
})
export type ProjectDetail = typeof ProjectDetail.Type

const Named = Schema.Struct({ id: Schema.String, name: Schema.String }).annotate({ identifier: "NamedThing" })

/** What a deletion would destroy, and what it cannot see. A service that is silent is in `unseen`, never counted as nothing. */
export const Contents = Schema.Struct({
  project_id: Schema.String,
  surveyed_at: Schema.String,
  contents: Schema.Array(
    Schema.Struct({
      service: Schema.String,
      kind: Schema.String,
      count: Schema.Int,
      /** The first ones. */
      first: Schema.Array(Named),
      /** What a deletion would be refused for, as things are: locked, protected. */
      guarded: Schema.Array(Schema.Struct({ ...Named.fields, why: Schema.String }))
    })
  ),
  unseen: Schema.Array(Schema.Struct({ service: Schema.String, kind: Schema.String, reason: Schema.String }))
}).annotate({ identifier: "ProjectContents" })
export type Contents = typeof Contents.Type

export const DeletionCancelled = Schema.Struct({
  project: ProjectRow,
  /** Ids of the credentials that work again. */
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
      // It answers for itself, by id: another project's 404 is the same whatever the caller's own is.
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
  // The role decides, and an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
