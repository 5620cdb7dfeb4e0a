import { Cause, Context, Effect, FiberSet, Layer, Schema, Stream } from "effect"
import { createServer, type IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { control, nothingAt } from "./control.ts"
import { listen as listenForQueries } from "./dns/udp.ts"
import { type Outcome, SimulatedCloud } from "./SimulatedCloud.ts"
import { callAt, callOf } from "./transport.ts"
import { isWebSocket, openWebSocket } from "./upgrade.ts"
import { type Answer, json } from "./Wire.ts"

/** The port is in use, or the address does not belong to this machine. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  address: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The simulated cloud cannot listen on ${this.address}: ${this.reason}`
  }
}

/** The simulated cloud over sockets: each service below its mount, and the control API below `/cloud`. */
export class Server extends Context.Service<
  Server,
  {
    readonly url: string
    readonly port: number
    /** The object gateway for S3 clients: at an address of its own, without a path, or else below its mount. */
    readonly s3Url: string
  }
>()("portico/simulator/Server") {
  /**
   * Port 0 takes any free port.
   *
   * @param options.s3Port where the object gateway also listens by itself, as in a real cloud: some S3 clients sign
   * the path without that of the address, so they cannot sign below a mount
   */
  static readonly layer = (options: {
    readonly host?: string
    readonly port: number
    readonly s3Port?: number | undefined
  }) =>
    Layer.effect(
      Server,
      Effect.gen(function* () {
        const host = options.host ?? "127.0.0.1"
        const { port, url } = yield* listening(host, options.port, callOf)
        // The port number that the HTTP server got may be in use for UDP.
        yield* Effect.mapError(
          listenForQueries(host, port),
          ({ reason }) => new CannotListen({ address: `${host}:${port} (UDP)`, reason })
        )
        const own = options.s3Port === undefined ? undefined : yield* listening(host, options.s3Port, callAt("rgw"))
        return Server.of({ url, port, s3Url: own?.url ?? `${url}/rgw` })
      }).pipe(Effect.retry({ times: options.port === 0 ? 5 : 0 }))
    )
}

/** Finds the service of a request; undefined for none. */
type Route = typeof callOf

/** Listens on a port. The control API is where the mounts are. */
const listening = Effect.fnUntraced(function* (host: string, port: number, route: Route) {
  const run = yield* FiberSet.makeRuntime<SimulatedCloud>()
  // Every other upgrade (h2c, SPDY) is handled as an ordinary request, as by a server without support for it.
  const server = createServer({ shouldUpgradeCallback: isWebSocket }, (request, response) => {
    run(serve(request, response, undefined, route))
  })
  const upgraded = new Set<Socket>()
  server.on("upgrade", (request, socket: Socket, head: Buffer) => {
    upgraded.add(socket)
    socket.once("close", () => upgraded.delete(socket))
    socket.on("error", () => socket.destroy())
    const response = new ServerResponse(request)
    response.assignSocket(socket)
    response.once("finish", () => socket.end())
    run(serve(request, response, { socket, head }, route))
  })
  // Longer than the idle timeout of clients, so that the server closes no connection that a client is about to
  // reuse.
  server.keepAliveTimeout = 120_000
  const bound = Effect.callback<AddressInfo, CannotListen>((resume) => {
    server.once("error", (error) => resume(new CannotListen({ address: `${host}:${port}`, reason: error.message })))
    server.listen(port, host, () => {
      const address = server.address()
      resume(
        typeof address === "object" && address !== null
          ? Effect.succeed(address)
          : new CannotListen({ address: host, reason: "it is not a network address" })
      )
    })
  })
  const at = yield* Effect.acquireRelease(bound, () =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
      for (const socket of upgraded) socket.destroy()
    })
  )
  const name = at.family === "IPv6" ? `[${at.address}]` : at.address
  return { port: at.port, url: `http://${name}:${at.port}` }
})

/** A connection that may be upgraded. */
interface Upgradable {
  readonly socket: Socket
  readonly head: Buffer
}

const serve = Effect.fnUntraced(
  function* (request: IncomingMessage, response: ServerResponse, upgradable: Upgradable | undefined, route: Route) {
    const body = upgradable === undefined ? yield* bodyOf(request) : new Uint8Array()
    const outcome = yield* outcomeOf(request, body, route)
    if (outcome !== "reset" && outcome.upgrade !== undefined && upgradable !== undefined) {
      response.detachSocket(upgradable.socket)
      openWebSocket(request, upgradable.socket, upgradable.head, outcome.upgrade)
      return
    }
    if (outcome !== "reset" && outcome.stream !== undefined) yield* stream(outcome, outcome.stream, request, response)
    else send(outcome, request, response)
  },
  (effect, request, response) =>
    effect.pipe(
      Effect.catchTag("BodyTooLarge", () =>
        Effect.sync(() => {
          send(json(413, { message: `A body may have ${bodyLimit} bytes.` }), request, response)
        })
      ),
      // An exception in one service must not take down the client or the other services.
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.void
        return Effect.andThen(
          Effect.logError("the simulated cloud failed", cause),
          Effect.sync(() => {
            send(json(500, { message: Cause.pretty(cause) }), request, response)
          })
        )
      })
    )
)

const bodyLimit = 64 * 1024 * 1024

class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** The whole body. A request that is aborted before its end does not reach a service. */
const bodyOf = (request: IncomingMessage): Effect.Effect<Uint8Array, BodyTooLarge> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= bodyLimit) chunks.push(chunk)
      else chunks.length = 0
    })
    // The rest of a body that is too large is read and dropped; otherwise the client could not read the refusal.
    request.on("end", () => resume(size <= bodyLimit ? Effect.succeed(Buffer.concat(chunks)) : new BodyTooLarge()))
    request.on("close", () => resume(Effect.interrupt))
  })

const outcomeOf = Effect.fnUntraced(function* (request: IncomingMessage, body: Uint8Array, route: Route) {
  const cloud = yield* SimulatedCloud
  const { method = "GET", url = "/" } = request
  const [path = "/"] = url.split("?")
  if (route === callOf && (path === "/cloud" || path.startsWith("/cloud/"))) return yield* control(method, path, body)
  const call = route(method, url, headersOf(request), body)
  return yield* call === undefined ? Effect.succeed(nothingAt(method, path)) : cloud.answer(call)
})

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")] as const]
    )
  )

const bodiless: ReadonlyArray<number> = [204, 304]

const send = (outcome: Outcome, request: IncomingMessage, response: ServerResponse): void => {
  if (outcome === "reset") {
    request.socket.resetAndDestroy()
    return
  }
  if (response.headersSent || response.destroyed) return
  const body = Buffer.from(outcome.body)
  const length = bodiless.includes(outcome.status) ? {} : { "content-length": String(body.length) }
  // Each service sets the Content-Length of its HEAD answers itself.
  const headers = request.method === "HEAD" ? { ...length, ...outcome.headers } : { ...outcome.headers, ...length }
  response.writeHead(outcome.status, headers)
  response.end(request.method === "HEAD" ? undefined : body)
}

/**
 * Writes the head at once, then each chunk as fast as the client reads it. The stream ends when the client
 * disconnects.
 */
const stream = (
  { body, headers, status }: Answer,
  chunks: Stream.Stream<Uint8Array>,
  request: IncomingMessage,
  response: ServerResponse
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (response.headersSent || response.destroyed) return Effect.void
    response.writeHead(status, headers)
    response.flushHeaders()
    if (request.method === "HEAD") return Effect.sync(() => void response.end())
    if (body.length > 0) response.write(body)
    return Stream.runForEach(chunks, (chunk) => write(response, chunk)).pipe(
      Effect.andThen(Effect.sync(() => void response.end())),
      Effect.raceFirst(closed(response))
    )
  })

const write = (response: ServerResponse, chunk: Uint8Array): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (response.write(chunk)) return resume(Effect.void)
    response.once("drain", () => resume(Effect.void))
  })

const closed = (response: ServerResponse): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const gone = () => resume(Effect.void)
    if (response.destroyed) return gone()
    response.once("close", gone)
    return Effect.sync(() => void response.off("close", gone))
  })
