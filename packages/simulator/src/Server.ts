import { Cause, Context, Effect, FiberSet, Layer, Schema, Stream } from "effect"
import { createServer, type IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { control, nothingAt } from "./control.ts"
import { listen as listenForQueries } from "./dns/udp.ts"
import { type Outcome, SimulatedCloud } from "./SimulatedCloud.ts"
import { callOf } from "./transport.ts"
import { isWebSocket, openWebSocket } from "./upgrade.ts"
import { type Answer, json } from "./Wire.ts"

/** The port is taken, or the address is not one of this machine's. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  address: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The simulated cloud cannot listen on ${this.address}: ${this.reason}`
  }
}

/**
 * The simulated cloud over sockets: every system below its mount, and below
 * `/cloud` the handle on all of it.
 */
export class Server extends Context.Service<
  Server,
  {
    readonly url: string
    readonly port: number
  }
>()("portico/simulator/Server") {
  /** Port 0 takes any free one. */
  static readonly layer = (options: { readonly host?: string; readonly port: number }) =>
    Layer.effect(
      Server,
      Effect.gen(function* () {
        const run = yield* FiberSet.makeRuntime<SimulatedCloud>()
        // What else asks for an upgrade (h2c, SPDY) is a request like any other, as a server without it has it.
        const server = createServer({ shouldUpgradeCallback: isWebSocket }, (request, response) => {
          run(serve(request, response, undefined))
        })
        const upgraded = new Set<Socket>()
        server.on("upgrade", (request, socket: Socket, head: Buffer) => {
          upgraded.add(socket)
          socket.once("close", () => upgraded.delete(socket))
          socket.on("error", () => socket.destroy())
          const response = new ServerResponse(request)
          response.assignSocket(socket)
          response.once("finish", () => socket.end())
          run(serve(request, response, { socket, head }))
        })
        // Longer than clients keep idle connections, so that none is cut just as a client uses it again.
        server.keepAliveTimeout = 120_000
        const host = options.host ?? "127.0.0.1"
        const listening = Effect.callback<AddressInfo, CannotListen>((resume) => {
          server.once("error", (error) =>
            resume(new CannotListen({ address: `${host}:${options.port}`, reason: error.message }))
          )
          server.listen(options.port, host, () => {
            const address = server.address()
            resume(
              typeof address === "object" && address !== null
                ? Effect.succeed(address)
                : new CannotListen({ address: host, reason: "it is not a network address" })
            )
          })
        })
        const { address, family, port } = yield* Effect.acquireRelease(listening, () =>
          Effect.callback<void>((resume) => {
            server.close(() => resume(Effect.void))
            server.closeAllConnections()
            for (const socket of upgraded) socket.destroy()
          })
        )
        // The number that the HTTP server has got may be taken for datagrams.
        yield* Effect.mapError(
          listenForQueries(host, port),
          ({ reason }) => new CannotListen({ address: `${host}:${port} (UDP)`, reason })
        )
        return Server.of({ url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`, port })
      }).pipe(Effect.retry({ times: options.port === 0 ? 5 : 0 }))
    )
}

/** A connection that could become something else than HTTP. */
interface Upgradable {
  readonly socket: Socket
  readonly head: Buffer
}

const serve = Effect.fnUntraced(
  function* (request: IncomingMessage, response: ServerResponse, upgradable: Upgradable | undefined) {
    const body = upgradable === undefined ? yield* bodyOf(request) : new Uint8Array()
    const outcome = yield* outcomeOf(request, body)
    if (outcome !== "reset" && outcome.upgrade !== undefined && upgradable !== undefined) {
      response.detachSocket(upgradable.socket)
      openWebSocket(request, upgradable.socket, upgradable.head, outcome.upgrade)
      return
    }
    if (outcome !== "reset" && outcome.stream !== undefined) yield* stream(outcome, outcome.stream, request, response)
    else send(outcome, request, response)
  },
  (effect, request, response, _) =>
    effect.pipe(
      Effect.catchTag("BodyTooLarge", () =>
        Effect.sync(() => {
          send(json(413, { message: `A body may have ${bodyLimit} bytes.` }), request, response)
        })
      ),
      // A system that breaks on a request must not take the client or the other systems with it.
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

/** The whole body. Of a request that breaks off before its end the systems never hear. */
const bodyOf = (request: IncomingMessage): Effect.Effect<Uint8Array, BodyTooLarge> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= bodyLimit) chunks.push(chunk)
      else chunks.length = 0
    })
    // The rest of a body that is too large is heard out, or the client could not read the refusal.
    request.on("end", () => resume(size <= bodyLimit ? Effect.succeed(Buffer.concat(chunks)) : new BodyTooLarge()))
    request.on("close", () => resume(Effect.interrupt))
  })

const outcomeOf = Effect.fnUntraced(function* (request: IncomingMessage, body: Uint8Array) {
  const cloud = yield* SimulatedCloud
  const { method = "GET", url = "/" } = request
  const [path = "/"] = url.split("?")
  if (path === "/cloud" || path.startsWith("/cloud/")) return yield* control(method, path, body)
  const call = callOf(method, url, headersOf(request), body)
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
  // What a HEAD says of the length of the body that a GET would have is the system's own affair.
  const headers = request.method === "HEAD" ? { ...length, ...outcome.headers } : { ...outcome.headers, ...length }
  response.writeHead(outcome.status, headers)
  response.end(request.method === "HEAD" ? undefined : body)
}

/** The head at once, then what comes, as fast as the client takes it. A client that goes ends it. */
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
