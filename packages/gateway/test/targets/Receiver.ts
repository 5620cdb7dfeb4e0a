import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"

/** A call that a receiver got. */
export interface Got {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers that a receiver can give; nothing for silence. */
export interface Given {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Receiver {
  readonly url: string
  readonly got: Array<Got>
  /** From now on. */
  answer(given: Given | undefined): void
}

/** Somebody's endpoint on loopback, until the scope ends. */
export const receiver = Effect.acquireRelease(
  Effect.callback<{ readonly receiver: Receiver; readonly close: () => void }>((resume) => {
    let given: Given | undefined = { status: 204 }
    const got: Array<Got> = []
    const server = createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        got.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(parts).toString("utf8") })
        if (given !== undefined) response.writeHead(given.status, { ...given.headers }).end(given.body)
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const receiver = {
        url: `http://127.0.0.1:${port}/`,
        got,
        answer: (next: Given | undefined) => void (given = next)
      }
      resume(
        Effect.succeed({
          receiver,
          close: () => {
            server.close()
            server.closeAllConnections()
          }
        })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
).pipe(Effect.map((_) => _.receiver))
