import type { Resource } from "./Resource.ts"

/** Failures of the agent plane. */
export const agents = {
  Unauthorized: {
    agentsEnded: {
      code: "agents_ended",
      detail: "All agents of the tenant were ended after this token was issued",
      cause:
        "An owner ended all agents of the tenant. A person's token from before, and a machine's credential from before, no longer work at the agent plane.",
      fix: "A person logs in again; a machine needs a new credential, minted under POST /v1/agents."
    }
  },
  NotAcceptable: {
    /** RFC 9110, section 12.5.1. */
    form: {
      code: "not_acceptable",
      detail: (type: string) =>
        `The answer is ${type}, which the Accept header leaves out: send Accept: application/json, text/event-stream`,
      example: ["application/json"],
      cause:
        "The client's `Accept` header leaves out JSON, or, of a message whose answer is a stream of events, text/event-stream.",
      fix: "Send `Accept: application/json, text/event-stream`, as MCP asks for."
    }
  },
  Forbidden: {
    agentsDisabled: {
      code: "agents_disabled",
      detail: "The tenant's policy for agents disables the agent plane",
      cause: "The policy for agents of the tenant says `enabled: false`.",
      fix: "GET /v1/agents/policy shows the policy; an owner or customer-admin of the account can change it."
    },
    originNotAllowed: {
      code: "origin_not_allowed",
      detail: "Pages of this origin may not use the agent plane: see AGENT_ALLOWED_ORIGINS",
      cause:
        "A browser sent a request of a page to the agent plane, and the operator does not allow pages of that origin there. By default no page is allowed.",
      fix: "Use a client that is not a page in a browser, or have the operator add the page's origin to AGENT_ALLOWED_ORIGINS."
    }
  }
} as const satisfies Resource
