import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/** What a story looks at. */
export interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly name: string; readonly _meta?: { readonly progressToken?: unknown } }
  readonly result?: { readonly action: string }
}

export interface Posted {
  readonly message: Message
  readonly headers: IncomingMessage["headers"]
}

/** An agent plane that does what a story says, and has sessions as a real one. */
export const scriptedPlane = Effect.acquireRelease(
  Effect.promise(async () => {
    const posts: Array<Posted> = []
    const deleted: Array<string> = []
    const waiting = new Map<number | string, (result: Message["result"]) => void>()
    const state = { sessions: new Set<string>(), opened: 0, refused: new Set<string>(), limited: 0, aborted: 0 }
    const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
    const event = (body: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...body })}\n\n`
    const text = (text: string) => ({ content: [{ type: "text", text }] })

    const tool = async ({ message: { id = 0, params } }: Posted, response: ServerResponse) => {
      const stream = () => response.writeHead(200, { "content-type": "text/event-stream" })
      switch (params?.name) {
        case "slow":
          response.on("close", () => void (state.aborted += response.writableEnded ? 0 : 1))
          return
        case "breaks":
          stream().write(": soon\n\n")
          // oxlint-disable-next-line live/waits -- its client is a process of its own
          return void setTimeout(() => response.destroy(), 50)
        case "progress": {
          const progressToken = params?._meta?.progressToken
          const all = [1, 2].map((progress) =>
            event({ method: "notifications/progress", params: { progressToken, progress, total: 2 } })
          )
          const told = all.join("")
          stream()
          // In pieces that end anywhere.
          for (const [from, to] of [[0, 7], [7, 60], [60]] as const) response.write(told.slice(from, to))
          // The official client drops what comes together with the result, and is a process of its own.
          // oxlint-disable-next-line live/waits
          return void setTimeout(() => response.end(event({ id, result: text("done") })), 100)
        }
        case "ask": {
          stream().write(
            event({
              id: "ask-1",
              method: "elicitation/create",
              params: { mode: "form", message: "Pay?", requestedSchema: { type: "object", properties: {} } }
            })
          )
          const answer = await new Promise<Message["result"]>((resolve) => waiting.set("ask-1", resolve))
          return void response.end(event({ id, result: text(answer?.action ?? "nothing") }))
        }
        default:
          return void json(response, 200, { jsonrpc: "2.0", id, result: text(params?.name ?? "") })
      }
    }

    const answered = async (posted: Posted, response: ServerResponse) => {
      const { headers, message } = posted
      const { id, method } = message
      posts.push(posted)
      if (state.refused.has(headers.authorization ?? "")) {
        return void json(response, 401, { detail: "The token is not active.", code: "token_inactive" })
      }
      if (state.limited > 0) {
        state.limited -= 1
        return void json(response, 429, { detail: "Too many calls.", code: "rate_limited" }, { "retry-after": "1" })
      }
      if (method === "initialize") {
        const session = `session-${++state.opened}`
        state.sessions.add(session)
        const result = {
          protocolVersion: "2025-11-25",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "scripted", version: "1" }
        }
        return void json(response, 200, { jsonrpc: "2.0", id, result }, { "mcp-session-id": session })
      }
      if (!state.sessions.has(String(headers["mcp-session-id"]))) return void response.writeHead(404).end()
      if (id !== undefined && method === undefined) waiting.get(id)?.(message.result)
      if (id === undefined || method === undefined) return void response.writeHead(202).end()
      if (method === "tools/call") return tool(posted, response)
      return void json(response, 200, { jsonrpc: "2.0", id, result: method === "tools/list" ? { tools: [] } : {} })
    }

    const server = createServer((request, response) => {
      if (request.method === "DELETE") {
        deleted.push(String(request.headers["mcp-session-id"]))
        return void response.writeHead(204).end()
      }
      let body = ""
      request.on("data", (_) => void (body += String(_)))
      request.on("end", () => void answered({ message: JSON.parse(body), headers: request.headers }, response))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    return { server, state, posts, deleted, url: `http://127.0.0.1:${port}/mcp` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)
