import { Effect } from "effect"
import { createServer, type ServerResponse } from "node:http"

/** Calls that it works on at once; the others wait in its own queue, in the order of their arrival. */
const workers = 32
/** Milliseconds of work for a call. */
const work = 20

const body = Buffer.from(JSON.stringify({ zones: [] }))
const head = ["Content-Type", "application/json", "Content-Length", String(body.length)]

/** A service of the platform that answers 1,600 calls a second at most, until the scope ends; its address. */
export const limitedService = Effect.gen(function* () {
  const waiting: Array<ServerResponse> = []
  let busy = 0
  const next = (): void => {
    const to = busy < workers ? waiting.shift() : undefined
    if (to === undefined) return
    busy += 1
    setTimeout(() => {
      busy -= 1
      if (!to.destroyed) to.writeHead(200, head).end(body)
      next()
    }, work)
  }
  const server = createServer({ keepAliveTimeout: 600_000 }, (_, to) => {
    waiting.push(to)
    next()
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
})
