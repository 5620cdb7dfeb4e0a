import type { Resource } from "./Resource.ts"

/** Failures of the audit trail. */
export const audit = {
  TooManyRequests: {
    auditExports: {
      code: "audit_exports_exhausted",
      detail: (most: number) =>
        `The tenant has ${most} audit exports running with this replica already; wait until one has ended`,
      example: [2],
      cause: "The tenant has as many audit exports running with one replica as it may.",
      fix: "Wait until one has ended, or page through `GET /v1/audit`."
    },
    auditExportsInAll: {
      code: "audit_exports_full",
      detail: (most: number) =>
        `This replica carries out ${most} audit exports, as many as it can at once; try again later`,
      example: [20],
      cause: "One replica of the gateway carries out as many audit exports as it can at once.",
      fix: "Try again after as many seconds as the header `Retry-After` says."
    }
  },
  Unavailable: {
    agentActions: {
      code: "agent_actions_unwritable",
      detail: "The tool call cannot be recorded right now, so nothing was done",
      cause: "The log of the agents' actions cannot be written. A tool that changes something does not act without it.",
      fix: "Try again."
    }
  }
} as const satisfies Resource
