import type { Resource } from "./Resource.ts"

/** Failures of costs and budgets. */
export const money = {
  Forbidden: {
    /** For a member without billing access, on every billing route. */
    billingAccess: {
      code: "billing_access_required",
      detail:
        "This action requires billing access, which the account's owner grants under PUT /v1/org/users/{user_id}/billing",
      cause: "The caller is a member of the account who may not see its costs.",
      fix: "Ask the account's owner for billing access; it takes effect within 60 seconds."
    }
  },
  NotFound: {
    budget: {
      code: "budget_not_found",
      detail: (id: string) => `Budget '${id}' not found`,
      example: ["bdg-1"],
      cause: "No budget has this id, or it is another tenant's.",
      fix: "Take the id from GET /v1/budgets."
    }
  },
  Conflict: {
    /** A refusal of the billing service, in its own words. */
    billing: {
      code: "billing_conflict",
      detail: (message: string) => message,
      example: ["The tenant has as many budgets as it may have"],
      cause: "The billing service refused the call because of its present state. `detail` has its message.",
      fix: "Resolve the conflict that `detail` names, for example remove a budget first."
    }
  },
  Unprocessable: {
    /** A refusal of the billing service, in its own words. */
    billing: {
      code: "billing_refused",
      detail: (message: string) => message,
      example: ["The period begins before the first usage"],
      cause: "The billing service refused the call, and would refuse it again. `detail` has its message.",
      fix: "Correct the fault that `detail` names."
    },
    costPeriod: {
      code: "cost_period_refused",
      detail: (rule: string) => rule,
      example: ["Send both start and end"],
      cause: "`period`, `start` and `end` do not name one span of time.",
      fix: "Send `period` alone, or `start` and a later `end`, or none of the three for the running month."
    }
  }
} as const satisfies Resource
