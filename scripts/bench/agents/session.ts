import { Effect } from "effect"
import { Agent, request } from "undici"

// A client of its own: the official one would be most of what is measured.

/** Each session has a connection, as each agent has. */
const dispatcher = new Agent({ keepAliveTimeout: 60_000, connections: 1024 })

const protocol = "2025-06-18"

interface Posted {
  readonly id: string | undefined
  readonly text: string
}

const post = (url: string, token: string, session: string | undefined, message: object): Effect.Effect<Posted> =>
  Effect.promise(async () => {
    const { body, headers, statusCode } = await request(url, {
      dispatcher,
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": protocol })
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message })
    })
    const text = await body.text()
    if (statusCode >= 300) throw new Error(`POST ${url} answered ${statusCode}: ${text}`)
    const id = headers["mcp-session-id"]
    return { id: typeof id === "string" ? id : undefined, text }
  })

export interface McpSession {
  /** Calls a tool; an answer that is an error is a defect. */
  call(tool: string, given: object): Effect.Effect<string>
  readonly list: Effect.Effect<string>
  readonly end: Effect.Effect<void>
}

/** Opens a session, as a client does. */
export const openSession = Effect.fnUntraced(function* (url: string, token: string) {
  let last = 0
  const params = { protocolVersion: protocol, capabilities: {}, clientInfo: { name: "bench", version: "1" } }
  const { id } = yield* post(url, token, undefined, { id: ++last, method: "initialize", params })
  yield* post(url, token, id, { method: "notifications/initialized" })
  const asked = (method: string, params: object) =>
    Effect.suspend(() => post(url, token, id, { id: ++last, method, params })).pipe(
      Effect.flatMap(({ text }) =>
        text.includes('"result"') && !text.includes('"isError":true')
          ? Effect.succeed(text)
          : Effect.die(new Error(`${method} answered ${text.slice(0, 500)}`))
      )
    )
  return {
    call: (tool, given) => asked("tools/call", { name: tool, arguments: given }),
    list: asked("tools/list", {}),
    end: Effect.promise(async () => {
      const headers = { authorization: `Bearer ${token}`, ...(id === undefined ? {} : { "mcp-session-id": id }) }
      await (await request(url, { dispatcher, method: "DELETE", headers })).body.dump()
    })
  } satisfies McpSession
})
