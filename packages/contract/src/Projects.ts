import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ActsOn, WhileClosing } from "./Access.ts"
import { described, LongRunning, meanings, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { formerWords } from "./formerWords.ts"
import { callerRoutes, operatorRoutes } from "./groups.ts"
import { pageList, pageQuery } from "./Page.ts"
import { Tier } from "./Tiers.ts"

export const ProjectState = meanings("Whether the project can be changed.", {
  live: "The project works.",
  deleting:
    "The project is being destroyed, or its account is closing: nothing in it can be changed, its members can still " +
    "read, and its machine credentials are suspended. `closing` has the reasons."
})
export type ProjectState = typeof ProjectState.Type

const project = {
  project_id: Schema.String.annotateKey({ description: "The project's id at the platform; it never changes." }),
  project_name: Schema.String.annotateKey({
    description:
      "The project's name at the platform, derived from the organisation's name. `confirm` takes it when the project " +
      "is deleted."
  }),
  tenant_name: Schema.String.annotateKey({ description: "The organisation's name." }),
  name: Schema.String.annotateKey({ description: "The same as `tenant_name`." }),
  tier: Tier.annotateKey({ description: "The project's tier." }),
  suspended: Schema.Boolean.annotateKey({
    description:
      "True while the platform's operators have suspended the tenant: running resources keep running, and nothing " +
      "new can be created."
  }),
  state: ProjectState,
  closing: Schema.Array(Schema.String).annotateKey({
    description:
      "Why the project is not live; empty for a live one. `project_deletion`: the project is being deleted. " +
      "`account_closure`: its account is closing."
  }),
  created_at: Schema.String.annotateKey({ description: "When the project went live: RFC 3339, UTC." })
}

export const ProjectRow = Schema.Struct(project).annotate({
  identifier: "Project",
  description: "A project: the unit of ownership, with a tier, resources, members and credentials of its own."
})
export type ProjectRow = typeof ProjectRow.Type

export const PurgeStep = Schema.Struct({
  step: Schema.String.annotateKey({
    description: "The service and the kind of resource, such as `compute/servers`, or one of the acts at the end."
  }),
  state: meanings("How far the step is.", {
    waiting: "It has not begun.",
    running: "Resources of this kind are being removed.",
    done: "Nothing of this kind is left."
  }),
  done: Schema.Int.annotateKey({ description: "How many resources are removed. A bucket counts with its objects." }),
  left: Schema.NullOr(Schema.Int).annotateKey({
    description: "How many resources are left, counted in the same way. Null until the kind has been listed."
  })
}).annotate({ identifier: "PurgeStep", description: "One kind of resource, or one act at the end of a deletion." })
export type PurgeStep = typeof PurgeStep.Type

export const PurgeState = meanings("How far the deletion is.", {
  purging: "The resources are being removed. The deletion can still be cancelled.",
  finishing: "The users, logins and the project itself are being removed. Nothing restores the project any more.",
  restoring: "The deletion was refused or cancelled, and the project's network and credentials are being restored.",
  refused:
    "A service refused the deletion or kept it from going on, and the project is live again. `refusal` says why.",
  cancelled: "The deletion was cancelled, and the project is live again."
})
export type PurgeState = typeof PurgeState.Type

export const PurgeRefusal = Schema.Struct({
  step: Schema.String.annotateKey({
    description: "The step that was refused, such as `compute/servers`; `look` for the listing of the resources."
  }),
  message: Schema.String.annotateKey({ description: "The message of the service that refused." }),
  words: Schema.String.annotateKey(formerWords)
}).annotate({ identifier: "PurgeRefusal", description: "The refusal that stopped a deletion for good." })
export type PurgeRefusal = typeof PurgeRefusal.Type

export const Deletion = Schema.Struct({
  state: PurgeState,
  steps: Schema.Array(PurgeStep).annotateKey({
    description: "The progress, one entry for each kind of resource. Empty until the services have been listed."
  }),
  done: Schema.Int.annotateKey({ description: "The sum of `done` over all steps." }),
  left: Schema.Int.annotateKey({
    description: "The sum of `left` over all steps; a step that was not listed counts as 0."
  }),
  refusal: Schema.NullOr(PurgeRefusal).annotateKey({
    description: "The refusal that stopped the deletion for good. Null unless it was refused."
  }),
  last_failure: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The step and message of the last failure that may pass. The gateway pauses for 5 seconds to 5 minutes and " +
      "resumes by itself. Null when nothing failed."
  }),
  started_at: Schema.String.annotateKey({ description: "When the deletion began: RFC 3339, UTC." })
}).annotate({ identifier: "Deletion", description: "The course of a project's deletion." })
export type Deletion = typeof Deletion.Type

export const ProjectDetail = Schema.Struct({
  ...project,
  deletion: Schema.NullOr(Deletion).annotateKey({
    description:
      "The current deletion, or the last one that was refused or cancelled. Null for a project that was never " +
      "deleted."
  })
}).annotate({ identifier: "ProjectDetail", description: "A project with the course of its deletion." })
export type ProjectDetail = typeof ProjectDetail.Type

const Named = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The resource's id at its service." }),
  name: Schema.String.annotateKey({ description: "The resource's name; empty for one without a name." })
}).annotate({ identifier: "NamedThing", description: "A resource." })

export const Contents = Schema.Struct({
  project_id: Schema.String.annotateKey({ description: "The project's id." }),
  surveyed_at: Schema.String.annotateKey({ description: "When the services were asked: RFC 3339, UTC." }),
  contents: Schema.Array(
    Schema.Struct({
      service: Schema.String.annotateKey({ description: "The service, such as `compute`." }),
      kind: Schema.String.annotateKey({ description: "The kind of resource, such as `servers`." }),
      count: Schema.Int.annotateKey({ description: "How many resources of this kind the project has." }),
      first: Schema.Array(Named).annotateKey({ description: "The first resources of the kind, 20 at most." }),
      guarded: Schema.Array(
        Schema.Struct({
          ...Named.fields,
          why: Schema.String.annotateKey({ description: "Why it cannot be removed, such as `locked` or `protected`." })
        })
      ).annotateKey({
        description:
          "The resources for which a deletion of the project would be refused now, 20 at most: locked servers and " +
          "protected images."
      })
    })
  ).annotateKey({
    description: "The project's contents, one entry for each kind of resource, in the order of removal."
  }),
  unseen: Schema.Array(
    Schema.Struct({
      service: Schema.String.annotateKey({ description: "The service." }),
      kind: Schema.String.annotateKey({
        description: "The kind of resource; `*` for every kind of a service that this cloud does not have."
      }),
      reason: Schema.String.annotateKey({ description: "Why it could not be listed." })
    })
  ).annotateKey({
    description:
      "The kinds that could not be listed, because the service is absent, failed, or did not answer within 20 " +
      "seconds. They are never counted as empty. An empty list means that everything was seen. The images at the " +
      "container registry are not checked."
  })
}).annotate({
  identifier: "ProjectContents",
  description: "The contents that a deletion of the project would destroy, as the services report them at this moment."
})
export type Contents = typeof Contents.Type

export const DeletionCancelled = Schema.Struct({
  project: ProjectRow.annotateKey({ description: "The project, live again unless its account is closing." }),
  restored_credentials: Schema.Array(Schema.String).annotateKey({
    description: "The ids of the machine credentials that are active again."
  })
}).annotate({ identifier: "DeletionCancelled", description: "The outcome of a cancelled deletion." })
export type DeletionCancelled = typeof DeletionCancelled.Type

/** The areas whose resources a project has; a test compares them with what the survey lists. */
const surveyed: ReadonlyArray<string> = [
  "alarms",
  "autoscaling",
  "compute",
  "dns",
  "edge",
  "events",
  "image",
  "integrations",
  "key-manager",
  "kubernetes",
  "load-balancer",
  "network",
  "object-storage",
  "volume",
  "webhooks"
]

const projectId = { project_id: Schema.String.annotateKey({ description: "The project's id." }) }

/** Both planes. An administrator sees every project, a tenant those of its account. */
export class Projects extends HttpApiGroup.make("projects")
  .add(
    HttpApiEndpoint.get("list", "/projects", {
      query: pageQuery,
      success: pageList("ProjectList", {
        projects: Schema.Array(ProjectRow).annotateKey({ description: "The projects of this page, oldest first." })
      }),
      error: failures("tenant_required")
    }).annotateMerge(
      described(
        "List projects",
        "Lists the projects of the caller's account, those being deleted too, oldest first. A platform administrator on " +
          "the operator plane gets the projects of all accounts."
      )
    ),
    HttpApiEndpoint.get("show", "/projects/:project_id", {
      params: projectId,
      success: ProjectDetail,
      error: failures("project_not_found")
    }).annotateMerge(
      described(
        "Show a project",
        "Returns one project of the caller's account, with the progress of its deletion while it is being deleted. A " +
          "deleted project and a project of another account are the same 404."
      )
    ),
    HttpApiEndpoint.get("contents", "/projects/:project_id/contents", {
      params: projectId,
      success: Contents,
      error: failures("project_not_found")
    })
      .annotate(ActsOn, surveyed)
      .annotateMerge(
        described(
          "List the contents that a deletion would destroy",
          "Asks every service at this moment for the project's resources, and returns for each kind the number, " +
            "the first names, and the resources for which a deletion would be refused. It changes nothing. A " +
            "service that does not answer within 20 seconds is listed in `unseen` and does not fail the call, so " +
            "read `unseen` before you trust a count."
        )
      ),
    HttpApiEndpoint.delete("remove", "/projects/:project_id", {
      params: projectId,
      query: {
        confirm: Schema.optionalKey(Schema.String).annotateKey({
          description:
            "The project's `project_name`, letter by letter. Required: without it, or with another text, the answer is a " +
            "422 that says the name."
        })
      },
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
      // A deletion that was cancelled leaves a live project.
      .annotate(LongRunning, { read: "projects.show", field: "state", done: [], failed: ["live"], gone: true })
      .annotateMerge(
        described(
          "Delete a project with everything in it",
          "Destroys all resources of the project in every service, then its users and logins, ends its machine " +
            "credentials, and removes the project itself; its account ends with its last project. Only a person with the role `customer-owner` or " +
            "a platform administrator may do so.\n\n" +
            "- The response comes before anything is destroyed. From then on machine credentials are suspended, members " +
            "can read, and every change is a 409.\n" +
            "- It takes minutes to hours, depending on the contents. While it runs, showing the project returns " +
            "the state `deleting` and the progress under `deletion`; when it is done, the project is a 404.\n" +
            "- A locked server or a protected image refuses the deletion before anything is destroyed. A refusal later " +
            "on does not restore destroyed resources. After a refusal the project is `live` again with its network " +
            "and its credentials, and `deletion.refusal` says why.\n" +
            "- Until `deletion.state` is `finishing` the platform's operators can cancel it on request.\n" +
            "- A second call is a 409, and so is a call while the project's tier is being changed."
        )
      )
  )
  .annotateMerge(
    titled(
      "Projects",
      "The projects of an account. A project is one tenant of the platform: it has a tier, which says how much it may " +
        "have, and owns servers, " +
        "volumes, networks, buckets, databases and all other resources. These operations list the projects of an " +
        "account, look into one, and delete it."
    )
  )
  .pipe(callerRoutes) {}

/** Operator plane. */
export class Deletions extends HttpApiGroup.make("deletions")
  .add(
    HttpApiEndpoint.post("cancel", "/tenants/:project_id/deletion/cancel", {
      params: projectId,
      success: DeletionCancelled,
      error: failures(
        "concurrent_deletion_state",
        "deletion_past_return",
        "deletion_step_under_way",
        "not_being_deleted",
        "project_not_found",
        "upstream_failed"
      )
    }).annotateMerge(
      described(
        "Cancel the deletion of a project",
        "Stops the deletion after the current step, restores the project's network, router and object storage " +
          "user where they had gone, and makes its machine credentials active again. Destroyed resources stay " +
          "destroyed.\n\n" +
          "- The call waits 20 seconds for the current step. When the step takes longer, the answer is a 409 and " +
          "the deletion is cancelled after the step, without another call.\n" +
          "- When the project cannot be restored yet the answer is a 502, and the gateway repeats the restoration.\n" +
          "- Once `deletion.state` is `finishing`, the answer is a 409 and nothing restores the project.\n" +
          "- When another deletion of the project has begun by the time of the answer, the answer is a 409.\n" +
          "- A deletion that belongs to the closing of an account is not cancelled here; reopen the account."
      )
    )
  )
  .annotateMerge(
    titled(
      "Project Deletions",
      "The deletions of projects, while they run. A deletion runs in the background and passes a point of no return, " +
        "before the first user is removed. " +
        "Until then a platform administrator can cancel it."
    )
  )
  .pipe(operatorRoutes) {}
