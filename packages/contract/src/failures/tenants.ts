import type { AdmissionNumbers } from "../Admission.ts"
import type { Applied, Left } from "./bodies.ts"
import type { Resource } from "./Resource.ts"

/** Failures of tenants: onboarding, tiers, quotas. */
export const tenants = {
  NotFound: {
    tenant: {
      code: "tenant_not_found",
      detail: (projectId: string) => `Tenant '${projectId}' not found`,
      example: ["p"],
      cause: "No tenant has this project id.",
      fix: "List the tenants with GET /v1/tenants."
    },
    onboarding: {
      code: "onboarding_not_found",
      detail: (id: string) => `Onboarding '${id}' not found`,
      example: ["a"],
      cause: "The journal holds no onboarding with this id: it was completed or rolled back, or never existed.",
      fix: "List the unfinished onboardings with GET /v1/journal."
    }
  },
  Conflict: {
    nameTaken: {
      code: "organisation_name_taken",
      detail: (name: string) =>
        `Organisation name '${name}' is taken; send the request again with tenant_name set to a free name`,
      example: ["Acme"],
      cause:
        "The name, or the slug that follows from it, belongs to another tenant or to something that exists upstream.",
      fix: "Send the request again with `tenant_name` set to a free name."
    },
    onboardingInProgress: {
      code: "onboarding_in_progress",
      detail: (name: string) =>
        `An onboarding of '${name}' is running or being rolled back; wait for it, or set tenant_name to a free name`,
      example: ["Acme"],
      cause: "An onboarding of the same name is running or being rolled back.",
      fix: "Wait for it; GET /v1/journal shows where it is."
    },
    budgetExceeded: {
      code: "budget_exceeded",
      detail: (admission: AdmissionNumbers) =>
        `Tier ${admission.tier} does not fit into the sellable budget: ${admission.dimensions
          .filter((_) => _.requested > _.remaining)
          .map(
            (_) => `${_.dimension} requested ${_.requested}, used ${_.used}, limit ${_.limit}, remaining ${_.remaining}`
          )
          .join("; ")}`,
      more: (admission: AdmissionNumbers) => ({ admission }),
      example: [
        {
          tier: "standard",
          admitted: false,
          dimensions: [{ dimension: "cores", requested: 32, used: 90, limit: 100, remaining: 10, remaining_after: -22 }]
        }
      ],
      cause: "The tier does not fit into the rest of the sellable budget. `admission` has the numbers.",
      fix: "Choose a smaller tier, or free or add capacity."
    },
    tierMoveInProgress: {
      code: "tier_move_in_progress",
      detail: (projectId: string) => `Another change of the quotas of tenant '${projectId}' is running`,
      example: ["p"],
      cause: "Another change of this tenant's quotas is running.",
      fix: "Try again when it is done."
    },
    onboardingBusy: {
      code: "onboarding_busy",
      detail: (id: string) => `Onboarding '${id}' is held by a running process`,
      example: ["a"],
      cause: "The onboarding is still running, or another process is rolling it back.",
      fix: "Try again after `lease_ends`."
    }
  },
  Unprocessable: {
    unusableName: {
      code: "unusable_name",
      detail: (rule: string) => rule,
      example: ["The name 'admin' is reserved. Set tenant_name to another one."],
      cause: "The name yields no slug, or a reserved one.",
      fix: "Choose a name with at least two letters or digits that is not a reserved word."
    }
  },
  BadGateway: {
    onboarding: {
      code: "onboarding_failed",
      detail: ({ at, left, message }: Left) =>
        `Onboarding stopped at ${at}: ${message}` + (left.length === 0 ? "" : `. Not yet removed: ${left.join(", ")}`),
      more: ({ left, transient }: Left) => ({ transient, ...(left.length === 0 ? {} : { left }) }),
      example: [{ at: "network", message: "neutron: Quota exceeded", transient: false, left: [] }],
      cause:
        "A step of an onboarding failed, and the gateway removed everything that it had created, except the parts " +
        "that `left` names.",
      fix:
        "Send the request again; the gateway retries the removal in the background and under POST " +
        "/v1/journal/{attempt_id}/retry."
    },
    quotaWrite: {
      code: "quota_write_failed",
      detail: ({ at, message }: Applied) => `The quota write stopped at ${at}: ${message}`,
      more: ({ applied, transient }: Applied) => ({ transient, applied }),
      example: [{ at: "object storage", message: "rgw: InvalidArgument", transient: false, applied: ["nova"] }],
      cause: "A quota write was refused. `applied` names the quotas written before; the tier tag is unwritten.",
      fix: "Send the same request again: it repairs."
    }
  },
  Unavailable: {
    tierUnreadable: {
      code: "tier_unreadable",
      detail: "The tenant's tier cannot be read right now",
      cause: "The tenant's tier could not be read, so nothing was decided.",
      fix: "Try again."
    }
  }
} as const satisfies Resource
