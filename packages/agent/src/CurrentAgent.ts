import type { Caller } from "@portico/contract/Access"
import { Context, type Redacted } from "effect"

/** An agent that makes a request to the agent plane. */
export interface Agent {
  /** The caller, with an agent's rights whatever its token gives elsewhere. It always has a tenant. */
  readonly caller: Caller
  /** The token of the request. The API calls of its tools have the same one. */
  readonly token: Redacted.Redacted
  /** The client's address; undefined when the connection is closed. */
  readonly source: string | undefined
  /** The `X-Request-Id` of the request, 32 hex digits. The API calls of its tools have the same one. */
  readonly requestId: string
}

/** The agent of the current request. Every request that reaches the MCP server has one. */
export const CurrentAgent = Context.Reference<Agent | undefined>("portico/agent/CurrentAgent", {
  defaultValue: () => undefined
})
