import { Effect } from "effect"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { standIn, standInOf } from "./standIns.ts"

/**
 * Listens on a port of this machine until the scope ends. It sends what the suite asks to the MCP endpoint with a token,
 * which the suite cannot send, and with our tools in place of its own. All else passes as it is.
 */
export const relay = (port: number, to: string, token: string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((from, answer) => {
        // A client that hangs up before its body is complete gets no answer.
        forward(new URL(to), token, from, answer).catch(() => answer.destroy())
      })
      server.listen(port, "localhost", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** Headers that say how long a body is, or how it comes. */
const ofBodies: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"])

const forward = async ({ hostname, port }: URL, token: string, from: IncomingMessage, to: ServerResponse) => {
  const body = standIn(await text(from))
  const name = from.headers["mcp-name"]
  const onward = request({
    hostname,
    port,
    method: from.method,
    path: from.url,
    headers: {
      ...Object.fromEntries(Object.entries(from.headers).filter(([header]) => !ofBodies.has(header))),
      ...(typeof name === "string" ? { "mcp-name": standInOf(name) } : {}),
      ...(body === "" ? {} : { "content-length": Buffer.byteLength(body) }),
      authorization: `Bearer ${token}`
    }
  })
  onward.on("response", (answer) => {
    to.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
    answer.pipe(to)
  })
  onward.on("error", () => from.socket.resetAndDestroy())
  to.on("close", () => onward.destroy())
  onward.end(body)
}
