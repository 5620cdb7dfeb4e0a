import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import { text } from "node:stream/consumers"
import { afterAll } from "vitest"

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A demo whose webhooks and integrations reach this machine, and do not wait long. */
export const reachingHere = {
  WEBHOOK_ALLOW_HTTP: "true",
  WEBHOOK_ALLOW_ADDRESSES: "127.0.0.1",
  DELIVERIES_SECONDS: "0.5"
}

/** Somebody else's server, to which events are sent. */
export class Receiver {
  readonly url: string
  readonly received: Array<Received>
  readonly #server: Server

  private constructor(url: string, received: Array<Received>, server: Server) {
    this.url = url
    this.received = received
    this.#server = server
  }

  static start(): Promise<Receiver> {
    const received: Array<Received> = []
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ headers: request.headers, body })
        response.writeHead(request.url === "/refuses" ? 500 : 204).end()
      })
    })
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resolve(new Receiver(`http://127.0.0.1:${port}`, received, server))
      })
    })
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

/** The receiver of this file, which is stopped after its stories. */
export const receiverOf = (): (() => Promise<Receiver>) => {
  let started: Promise<Receiver> | undefined
  afterAll(async () => {
    const receiver = await started
    receiver?.stop()
  })
  return () => (started ??= Receiver.start())
}
