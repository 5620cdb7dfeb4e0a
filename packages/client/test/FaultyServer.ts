import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/** A call as it arrived. */
export interface Arrived {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** What is done with a call; `reset` breaks the connection, `hang` never answers. */
export type Reply =
  | "reset"
  | "hang"
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | ((response: ServerResponse, call: Arrived) => void)

export interface FaultyServer extends AsyncDisposable {
  readonly url: string
  readonly calls: ReadonlyArray<Arrived>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** Answers the calls with these replies, one after the other; the last one stays. */
export const faultyServer = async (...replies: readonly [Reply, ...ReadonlyArray<Reply>]): Promise<FaultyServer> => {
  const calls: Array<Arrived> = []
  const server = createServer(async (request, response) => {
    const { headers, method = "", url = "" } = request
    const body = await bodyOf(request)
    const reply = replies[Math.min(calls.length, replies.length - 1)] ?? "hang"
    const call = { method, url, headers, body }
    calls.push(call)
    if (reply === "hang") return
    if (reply === "reset") return void request.socket.destroy()
    if (typeof reply === "function") return reply(response, call)
    const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {})
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`,
    calls,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

/** The gateway's body of a failure. */
export const failure = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: { detail: `It is ${code}`, code, ...more }
})
