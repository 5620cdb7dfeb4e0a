import { Context, type Effect } from "effect"
import type { Agent } from "./CurrentAgent.ts"

/** A call to the customers' API. */
export interface ApiRequest {
  readonly method: string
  /** The path with its query: `/v1/credentials?limit=20`. */
  readonly path: string
  /** The body, which is sent unchanged. */
  readonly body?: string
  /** Names in lower case. The gateway adds `authorization`, `host` and the headers of the connection. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface ApiResponse {
  /** Null when the API did not answer in time. The call may have been carried out all the same. */
  readonly status: number | null
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of the body, up to the longest answer that the gateway reads. */
  readonly body: string
  /** Whether the body was longer. */
  readonly cut: boolean
}

/**
 * The customers' API for agents. Each call has the agent's token and address, and passes the checks of the customer
 * plane with an agent's rights.
 */
export class Api extends Context.Service<
  Api,
  {
    /** Makes a call. Interrupting it closes the connection, as a client does that hangs up. */
    call(agent: Agent, request: ApiRequest): Effect.Effect<ApiResponse>
  }
>()("portico/agent/Api") {}
