import type { Resource } from "./Resource.ts"

/** Failures of projects and their deletion. */
export const projects = {
  NotFound: {
    project: {
      code: "project_not_found",
      detail: (id: string) => `Project '${id}' not found`,
      example: ["p"],
      cause: "No project of the caller's account has this id.",
      fix: "List the projects with GET /v1/projects."
    }
  },
  Conflict: {
    notBeingDeleted: {
      code: "not_being_deleted",
      detail: (projectId: string) => `Project '${projectId}' is not being deleted`,
      example: ["p"],
      cause: "There is no deletion of this project to cancel: it was refused, cancelled, or never asked for.",
      fix: "Look at GET /v1/projects/{project_id}, which says how the last deletion ended."
    },
    deletionPastReturn: {
      code: "deletion_past_return",
      detail: (projectId: string) => `The deletion of project '${projectId}' has gone too far to be cancelled`,
      example: ["p"],
      cause: "The deletion has begun to remove the project's users, whose secrets cannot be restored.",
      fix: "None: the deletion continues to its end."
    },
    deletionStepUnderWay: {
      code: "deletion_step_under_way",
      detail: (projectId: string, step: string) =>
        `The deletion of project '${projectId}' is cancelled as soon as its step '${step}' is over; ` +
        "the project is restored then",
      example: ["p", "compute/servers"],
      cause: "The deletion is cancelled, and the step that it was at is not over yet.",
      fix: "Ask GET /v1/projects/{project_id}: the project is live again when the step is over."
    }
  },
  Unprocessable: {
    /** Only for callers who may see the project, and so know its name. */
    notConfirmed: {
      code: "deletion_not_confirmed",
      detail: (name: string) => `Nothing was deleted: confirm must be the name of the project, '${name}'`,
      example: ["acme"],
      cause: "The `confirm` of a deletion is missing, or is not the name of the project that is to be deleted.",
      fix: "Send the name that `detail` gives, if it is the project that you mean."
    }
  }
} as const satisfies Resource
