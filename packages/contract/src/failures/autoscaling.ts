import type { Resource } from "./Resource.ts"

/** Failures of autoscaling groups. */
export const autoscaling = {
  NotFound: {
    autoscalingGroup: {
      code: "autoscaling_group_not_found",
      detail: (id: string) => `Autoscaling group '${id}' not found`,
      example: ["asg-1"],
      cause: "No such autoscaling group exists, or it belongs to another tenant.",
      fix: "Take an id from GET /v1/autoscaling/groups."
    },
    autoscalingPolicy: {
      code: "autoscaling_policy_not_found",
      detail: (name: string) => `Autoscaling policy '${name}' not found`,
      example: ["up"],
      cause: "The group has no policy of this name.",
      fix: "Take a name from the group's `policies`."
    }
  },
  Conflict: {
    autoscalingName: {
      code: "autoscaling_name_taken",
      detail: (name: string) => `There is an autoscaling group '${name}' already`,
      example: ["web"],
      cause:
        "The tenant has an autoscaling group of this name; one that is being deleted holds its name until the " +
        "end of the deletion.",
      fix: "Choose another name, or change the group that is there."
    },
    autoscalingDeleting: {
      code: "autoscaling_group_deleting",
      detail: (id: string) => `Autoscaling group '${id}' is being deleted, and cannot be changed`,
      example: ["asg-1"],
      cause: "The group's servers are being removed, and then the group goes.",
      fix: "Wait until it answers 404, and create it anew."
    }
  },
  Unprocessable: {
    autoscalingRange: {
      code: "autoscaling_range",
      detail: (min: number, desired: number, max: number) =>
        `A group needs min <= desired <= max, and this would make it ${min}, ${desired} and ${max}`,
      example: [2, 1, 3],
      cause: "With this change `desired` would be below `min` or above `max`, or `min` above `max`.",
      fix: "Send the numbers together, or leave `desired` out: it follows."
    },
    autoscalingNetwork: {
      code: "autoscaling_network",
      detail: "The tenant has no network of its own; name one as template.network_id",
      cause: "The template names no network, and the one that the tenant got at its onboarding no longer exists.",
      fix: "Name a network as `template.network_id`."
    }
  }
} as const satisfies Resource
