import type { Resource } from "./Resource.ts"

/** Failures of organisation units and access policies. */
export const policy = {
  Forbidden: {
    policyRole: {
      code: "policy_role_required",
      detail:
        "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role",
      cause:
        "The account's owners and customer-admins write organisation units and access policies. Machine " +
        "credentials of every tier have no role.",
      fix: "Have a person with one of the roles call it, or a platform administrator."
    },
    /** @param ou empty for the whole account */
    policyDenies: {
      code: "policy_denied",
      detail: (ou: string, deny: string) =>
        `The access policy of ${ou === "" ? "the whole account" : `the organisation unit '${ou}'`} denies '${deny}'. ` +
        "GET /v1/org/effective shows the effective policy.",
      example: ["eng", "dns"],
      cause: "An access policy of the account, or of the caller's organisation unit, denies calls of this area.",
      fix: "GET /v1/org/effective shows which unit decided it; an owner or customer-admin of the account can change it."
    }
  },
  NotFound: {
    unit: {
      code: "unit_not_found",
      detail: (path: string) => `Organisation unit '${path}' not found`,
      example: ["eng"],
      cause: "The account has no organisation unit with this path.",
      fix: "List the units with GET /v1/org/ous; create a unit's parent before it."
    },
    /** A member of a unit: a credential by its id, or a person by the user's. */
    unitMember: {
      code: "unit_member_not_found",
      detail: (id: string) => `Credential or user '${id}' not found`,
      example: ["cred-1"],
      cause: "No live credential and no member of the account has this id, or it is not in the unit that was named.",
      fix: "Take the id from GET /v1/credentials or GET /v1/org/users."
    },
    policy: {
      code: "policy_not_found",
      detail: (ou: string) =>
        ou === "" ? "The account has no access policy of its own" : `Access policy of '${ou}' not found`,
      example: ["eng"],
      cause: "The organisation unit, or the account itself, has no access policy.",
      fix: "List the policies with GET /v1/access/policy."
    }
  },
  Conflict: {
    unitTaken: {
      code: "unit_taken",
      detail: (path: string) => `Organisation unit '${path}' exists already`,
      example: ["eng"],
      cause: "The account has an organisation unit with this path already.",
      fix: "Use it, or choose another path."
    },
    unitOccupied: {
      code: "unit_occupied",
      detail: (path: string, held: string) =>
        `Organisation unit '${path}' cannot be deleted: it has ${held}. Delete or move them first`,
      example: ["eng", "2 units"],
      cause: "The organisation unit still has units below it, credentials or members in it, or an access policy.",
      fix: "Delete the units below and the policy, and take the members out, then delete the unit."
    }
  },
  Unavailable: {
    policyUnreadable: {
      code: "policy_unreadable",
      detail: "The account's access policy cannot be read right now",
      cause: "The access policy that decides whether the call is allowed cannot be read, so nothing was allowed.",
      fix: "Try again."
    }
  }
} as const satisfies Resource
