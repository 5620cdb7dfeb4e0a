import type { Resource } from "./Resource.ts"
import type { Ceiling } from "./bodies.ts"

type Use = Omit<Ceiling, "remaining">

type Refusal = readonly [message: string, transient: boolean]

/** Failures of the systems behind the gateway, on any resource. */
export const upstreams = {
  Conflict: {
    /** The tier's ceiling is reached: nothing was changed. */
    ceilingReached: {
      code: "ceiling_reached",
      detail: (what: string, unit: string, { limit, requested, used }: Use) =>
        `The tenant's ceiling of ${what} is reached: requested ${requested}${unit}, used ${used}${unit}, ` +
        `limit ${limit}${unit}, remaining ${Math.max(0, limit - used)}${unit}`,
      more: (_what: string, _unit: string, use: Use) => ({
        ceiling: { ...use, remaining: Math.max(0, use.limit - use.used) }
      }),
      example: ["storage", " GiB", { requested: 20, used: 90, limit: 100 }],
      cause:
        "There is no room left under a ceiling of the tenant's tier. `ceiling` carries requested, used, limit and " +
        "remaining, in the unit that `detail` names.",
      fix: "Ask for less, free something, or ask an operator for a larger tier. Nothing was changed."
    },
    concurrentChange: {
      code: "concurrent_change",
      detail: (what: string) => `Another change of ${what} is running; try again in a moment`,
      example: ["the buckets"],
      cause: "Something of the same kind in the same tenant is being changed by another request.",
      fix: "Send the request again in a moment."
    },
    /** An upstream's refusal because of its present state, with its message. */
    upstream: {
      code: "upstream_conflict",
      detail: (message: string) => message,
      example: ["Volume 8c2f6b0e is in use and cannot be deleted"],
      cause: "A platform service refused the call because of its present state. `detail` has its message.",
      fix: "Resolve the conflict that `detail` names, or free resources."
    }
  },
  Unprocessable: {
    /** An upstream's refusal of the request itself, with its message. */
    upstream: {
      code: "upstream_refused",
      detail: (message: string) => message,
      example: ["The zone name must end with a dot"],
      cause: "A platform service refused the call, and would refuse it again. `detail` has its message.",
      fix: "Correct the fault that `detail` names."
    }
  },
  BadGateway: {
    upstream: {
      code: "upstream_failed",
      detail: (...[message]: Refusal) => message,
      more: (...[, transient]: Refusal) => ({ transient }),
      example: ["nova: The service is temporarily unavailable", true],
      cause: "A system behind the gateway refused the call or failed. `detail` has its message.",
      fix: "If `transient` is true, try again."
    }
  }
} as const satisfies Resource
