import { Failure, Internal } from "@portico/contract/Failures"
import { Cause, Context, Effect, FiberSet, Layer, Option, Schema } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { requestIdOf } from "../middleware/RequestId.ts"
import { rendered } from "../middleware/respond.ts"
import type { Exchange } from "./Exchange.ts"
import { iaasProxy } from "./iaas.ts"
import { iaasPrefix } from "./links.ts"

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

const isFailure = Schema.is(Failure)

/**
 * The catch-all routes. They stand in front of the router, because they are
 * most of the traffic and need none of it: each request is a fiber of its own,
 * from the raw sockets on one side to those on the other.
 */
export class Proxies extends Context.Service<
  Proxies,
  {
    /** Whether a request leads to a proxy. Any other, and any other spelling of a proxy's prefix, is the router's. */
    takes(request: IncomingMessage): boolean
    /** @param own where clients reach this plane, if it is known; otherwise they say it themselves */
    serve(from: IncomingMessage, to: ServerResponse, own: string | undefined): void
  }
>()("portico/gateway/proxy/Proxies") {
  static readonly layer = Layer.effect(
    Proxies,
    Effect.gen(function* () {
      const iaas = yield* iaasProxy
      const run = yield* FiberSet.makeRuntime<never>()
      return Proxies.of({
        takes: ({ method = "", url = "" }) => url.startsWith(iaasPrefix) && methods.has(method),
        serve: (from, to, own) => {
          const requestId = requestIdOf(header(from, "traceparent"))
          const exchange = { from, to, requestId, own: own ?? ownAddressOf(from) }
          run(Effect.catchCause(iaas(exchange), (cause) => ended(exchange, cause)))
        }
      })
    })
  )
}

const header = (from: IncomingMessage, name: string): string | undefined => {
  const value = from.headers[name]
  return typeof value === "string" ? value : undefined
}

/** Where the client says that it reached us; it matters to nobody but itself. */
const ownAddressOf = ({ headers: { host }, socket: { localAddress, localPort } }: IncomingMessage): string =>
  `http://${host !== undefined && /^[\w.:[\]-]+$/.test(host) ? host : `${localAddress}:${localPort}`}`

/** A request that did not get through: the failure's own answer, or that of a bug, of which the caller learns nothing. */
const ended = Effect.fnUntraced(function* ({ from, requestId, to }: Exchange, cause: Cause.Cause<unknown>) {
  if (Cause.hasInterruptsOnly(cause)) return void to.destroy()
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  const failure = isFailure(error) ? error : Internal.error()
  if (failure !== error) {
    const [path = ""] = (from.url ?? "").split("?", 1)
    yield* Effect.annotateLogs(Effect.logError(`${from.method} ${path} failed`, cause), "request_id", requestId)
  }
  if (to.headersSent) return void to.destroy()
  const { body, status } = yield* rendered(failure)
  const bytes = Buffer.from(JSON.stringify(body))
  const head = ["Content-Type", "application/json", "Content-Length", String(bytes.length), "X-Request-Id", requestId]
  // A body that the client was not told to send may come or not: the next request could not be told from it.
  if (from.headers.expect !== undefined && !from.complete) head.push("Connection", "close")
  to.writeHead(status, head)
  to.end(bytes)
})
