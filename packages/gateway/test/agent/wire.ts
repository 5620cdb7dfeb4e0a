import { Effect } from "effect"
import { send } from "../harness/http.ts"

/** What a client says of itself. */
export const clientInfo = { name: "story", version: "1.0.0" }

export const request = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

export const initialize = (protocolVersion = "2025-06-18", more: object = {}) =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo, ...more })

export interface Posted {
  readonly token?: string | undefined
  readonly session?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

/** One request to the MCP endpoint, by hand. */
export const post = (agentUrl: string, body: unknown, { headers, method = "POST", session, token }: Posted = {}) => {
  const { origin, pathname } = new URL(agentUrl)
  return send(origin, method, pathname, {
    token,
    body,
    headers: {
      accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...headers
    }
  })
}

/** Opens a session, and returns its id. */
export const opened = Effect.fnUntraced(function* (agentUrl: string, token: string, message: object = initialize()) {
  const answer = yield* post(agentUrl, message, { token })
  const session = answer.headers["mcp-session-id"]
  if (session === undefined) return yield* Effect.die(`${answer.status} ${answer.text}`)
  yield* post(agentUrl, { jsonrpc: "2.0", method: "notifications/initialized" }, { token, session })
  return session
})

/** Headers of the revision without sessions, which repeat what the body says. */
export const stateless = (method: string, name?: string) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name })
})

export const statelessMeta = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {}
  }
}
