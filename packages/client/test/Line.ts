import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"

/** A bad line to a gateway: it breaks connections, and loses answers. */
export interface Line extends AsyncDisposable {
  readonly url: string
  /** `POST /v1/credentials`, in the order of arrival. */
  readonly calls: ReadonlyArray<string>
  /** Those of whose answer the first bytes have come. */
  readonly begun: ReadonlyArray<string>
  /** Breaks every connection that is open. */
  cut(): void
  /** Connections lead to another gateway from now on. */
  lead(to: string): void
  /** The gateway carries the next such call out, and its answer is lost. */
  lose(call: string): void
}

export const lineTo = async (gateway: string): Promise<Line> => {
  let target = gateway
  const lost: Array<string> = []
  const calls: Array<string> = []
  const begun: Array<string> = []
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { headers, method = "", url = "/" } = incoming
    const call = `${method} ${url.split("?")[0]}`
    calls.push(call)
    const at = new URL(url, target)
    const loses = lost.includes(call)
    if (loses) lost.splice(lost.indexOf(call), 1)
    const forwarded = request(at, { method, headers: { ...headers, host: at.host }, agent: false }, (answer) => {
      if (loses) return void answer.resume().on("end", () => incoming.socket.destroy())
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      // Lets the client know of the answer before there is anything in its body.
      outgoing.flushHeaders()
      answer.on("error", () => incoming.socket.destroy())
      answer.once("data", () => begun.push(call))
      answer.pipe(outgoing)
    })
    forwarded.on("error", () => incoming.socket.destroy())
    outgoing.on("close", () => forwarded.destroy())
    incoming.pipe(forwarded)
  }
  const server = createServer(forward)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`,
    calls,
    begun,
    cut: () => server.closeAllConnections(),
    lead: (to) => void (target = to),
    lose: (call) => void lost.push(call),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
