import { Failure, Internal } from "@portico/contract/Failures"
import { Cause, Context, Effect, Layer, Option, Schema } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { requestIdOf } from "../middleware/RequestId.ts"
import { rendered } from "../middleware/respond.ts"
import type { Exchange } from "./Exchange.ts"
import { kubernetesProxy } from "./kubernetes/proxy.ts"
import { clusterStatus } from "./kubernetes/status.ts"
import { kubernetesPrefix } from "./kubernetes/target.ts"
import { asksForUpgrade, refuse, type Upgrading } from "./kubernetes/upgrade.ts"
import { iaasPrefix } from "./links.ts"
import { iaasEntrance } from "./openstack/entrance.ts"
import { runtime } from "./underWay.ts"

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
    /**
     * @param own where clients reach this plane, if it is known; otherwise they say it themselves
     * @param outlasting called for an answer that may have no end
     */
    serve(from: IncomingMessage, to: ServerResponse, own: string | undefined, outlasting: () => void): void
    /** Whether a request may leave HTTP. */
    upgrades(request: IncomingMessage): boolean
    /** @param head what came behind the request already */
    upgrade(from: IncomingMessage, socket: Duplex, head: Buffer): void
  }
>()("portico/gateway/proxy/Proxies") {
  static readonly layer = Layer.effect(
    Proxies,
    Effect.gen(function* () {
      const iaas = yield* iaasEntrance
      const kubernetes = yield* kubernetesProxy
      const run = yield* runtime()
      return Proxies.of({
        takes: ({ method = "", url = "" }) =>
          url.startsWith(iaasPrefix)
            ? methods.has(method)
            : url.startsWith(kubernetesPrefix) && (methods.has(method) || method === "OPTIONS"),
        serve: (from, to, own, outlasting) => {
          const requestId = requestIdOf(header(from, "traceparent"))
          const exchange = {
            from,
            to,
            target: from.url ?? "",
            authorization: from.headers.authorization,
            versioned: false,
            requestId,
            own: own ?? ownAddressOf(from),
            outlasting
          }
          const isIaas = from.url?.startsWith(iaasPrefix) === true
          run(
            Effect.catchCause(isIaas ? iaas.serve(exchange) : kubernetes.serve(exchange), (cause) =>
              ended(exchange, cause, isIaas ? iaas.renderedFor(exchange) : renderedForCluster)
            )
          )
        },
        upgrades: (from) => from.url?.startsWith(kubernetesPrefix) === true && asksForUpgrade(from),
        upgrade: (from, socket, head) => {
          // A connection that breaks is no fault of the process, and closes by itself.
          socket.on("error", () => {})
          const upgrading = { from, socket, head, requestId: requestIdOf(header(from, "traceparent")) }
          run(Effect.catchCause(kubernetes.upgrade(upgrading), (cause) => endedUpgrade(upgrading, cause)))
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

const renderedForCluster = (failure: Failure) => Effect.succeed(clusterStatus(failure))

/** A request that did not get through: the failure's own answer, or that of a bug, of which the caller learns nothing. */
const ended = Effect.fnUntraced(function* (
  { from, requestId, to }: Exchange,
  cause: Cause.Cause<unknown>,
  render: typeof rendered
) {
  if (Cause.hasInterruptsOnly(cause)) return void to.destroy()
  const failure = yield* failureOf(from, requestId, cause)
  if (to.headersSent) return void to.destroy()
  const { body, status } = yield* render(failure)
  const bytes = Buffer.from(JSON.stringify(body))
  const head = ["Content-Type", "application/json", "Content-Length", String(bytes.length), "X-Request-Id", requestId]
  // A body that the client was not told to send may come or not: the next request could not be told from it.
  if (from.headers.expect !== undefined && !from.complete) head.push("Connection", "close")
  to.writeHead(status, head)
  to.end(bytes)
})

/** The same where there is nothing but a socket to answer on. */
const endedUpgrade = Effect.fnUntraced(function* ({ from, requestId, socket }: Upgrading, cause: Cause.Cause<unknown>) {
  if (Cause.hasInterruptsOnly(cause)) return void socket.destroy()
  const { body, status } = clusterStatus(yield* failureOf(from, requestId, cause))
  refuse(
    socket,
    status,
    ["Content-Type", "application/json", "X-Request-Id", requestId],
    Buffer.from(JSON.stringify(body))
  )
})

const failureOf = Effect.fnUntraced(function* (from: IncomingMessage, requestId: string, cause: Cause.Cause<unknown>) {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (isFailure(error)) return error
  const [path = ""] = (from.url ?? "").split("?", 1)
  yield* Effect.annotateLogs(Effect.logError(`${from.method} ${path} failed`, cause), "request_id", requestId)
  return Internal.error()
})
