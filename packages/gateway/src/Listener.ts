import { RequestTimeout, Unavailable } from "@portico/contract/Failures"
import { Predicate } from "effect"
import { type IncomingMessage, Server, type ServerResponse } from "node:http"
import { type Server as NetServer, Socket } from "node:net"
import { Duplex } from "node:stream"
import { createServer, type Server as TlsServer } from "node:tls"
import type { Certificate } from "./Certificate.ts"
import type { Connection, Connections } from "./connections/Connections.ts"
import { ClientRequest } from "./streams/ClientRequest.ts"
import { requestIdOf } from "./requests/RequestId.ts"
import type { Requests } from "./observability/Requests.ts"
import { hasBody, sendOwn } from "./proxy/Exchange.ts"
import { HeldResponse } from "./proxy/HeldResponse.ts"
import { clusterStatus } from "./proxy/kubernetes/status.ts"
import { refuse } from "./proxy/kubernetes/upgrade.ts"
import type { PlaneOptions, Proxies } from "./proxy/Proxies.ts"
import { tlsOptions } from "./tlsOptions.ts"
import { kubernetesPrefix } from "./requests/route.ts"
import { readTarget } from "./requests/target.ts"

/** Idle timeout within a request, in milliseconds. */
const idleTimeout = 300_000

/** Milliseconds without a byte after which the system asks whether the peer still exists. */
export const probeAfter = 60_000

/**
 * The server of a plane. A proxied request bypasses the router; every other event reaches the ordinary listeners.
 *
 * The server listens before the router's handler is there. Requests that arrive in between wait for it.
 *
 * When the server stops, each connection closes after its next answer, which says so (RFC 9112, section 9.6): the one
 * that is under way, or the one to a request that follows within `limits.lastIdle`.
 */
export class Listener extends Server {
  readonly #proxies: Proxies["Service"] | undefined
  readonly #requests: Requests
  readonly #options: PlaneOptions
  readonly #connections: Connections
  /** Does the TLS handshakes of a plane with a certificate. It listens on no port itself. */
  readonly #tls: TlsServer | undefined
  /** Connections that do not end by themselves. */
  readonly #outlasting = new Set<Duplex>()
  /** Requests that arrived before the handler, in order. */
  readonly #early: Array<{ readonly from: IncomingMessage; readonly to: ServerResponse; readonly serve: () => void }> =
    []
  #stopping = false
  /** Servers whose connections this one serves too. */
  readonly #adopted = new Set<NetServer>()
  readonly #isStopping = () => this.#stopping
  #idleEnd: NodeJS.Timeout | undefined

  /**
   * @param proxies undefined for a plane without catch-all routes
   * @param certificate without it the plane speaks plain HTTP
   */
  constructor(
    proxies: Proxies["Service"] | undefined,
    requests: Requests,
    options: PlaneOptions,
    connections: Connections,
    certificate?: Certificate
  ) {
    // An upload may take as long as data keeps arriving; Node would end it after five minutes in total.
    super({
      IncomingMessage: ClientRequest,
      ServerResponse: HeldResponse,
      requestTimeout: 0,
      headersTimeout: connections.limits.head,
      connectionsCheckingInterval: Math.min(5_000, connections.limits.head / 6),
      keepAliveTimeout: connections.limits.idle,
      // An idle connection may stay for an hour, and its client may vanish without a word.
      keepAlive: true,
      keepAliveInitialDelay: probeAfter,
      // Node would answer without a body and a request id. `doubtfulHead` rejects such a request.
      requireHostHeader: false,
      // For every other request an upgrade is an offer that the server may ignore.
      shouldUpgradeCallback: (from) => {
        readTarget(from)
        return proxies?.upgrades(from) === true
      }
    })
    this.timeout = idleTimeout
    // A server may ignore expectations other than `100-continue` (RFC 9110, section 10.1.1). Node would answer them
    // with a 417 of its own, without a request id and without an audit record.
    this.on("checkExpectation", (from, to) => void this.emit("request", from, to))
    this.#proxies = proxies
    this.#requests = requests
    this.#options = options
    this.#connections = connections
    this.on("listening", () => (certificate === undefined ? connections.start() : connections.startEncrypted()))
    // Emitted before the handler is added, which is for several events at once.
    this.on("newListener", (event) => {
      if (event === "request") queueMicrotask(() => this.#early.splice(0).forEach(({ serve }) => serve()))
    })
    this.#tls = certificate === undefined ? undefined : createServer({ ...certificate, ...tlsOptions })
    this.#tls?.on("secureConnection", (socket) => {
      connections.secured(socket)
      super.emit("connection", socket)
    })
    // The client speaks no TLS or a version that is too old, or does not finish the handshake in time.
    this.#tls?.on("tlsClientError", (_, socket) => void socket.destroy())
  }

  override emit(event: string, ...args: ReadonlyArray<unknown>): boolean {
    if (event === "connection") {
      const [socket] = args
      if (socket instanceof Socket) this.#connections.accepted(socket, this.#tls !== undefined)
      if (this.#tls === undefined) return super.emit(event, ...args)
      // TLS has its own end of stream. A connection that only the client closed would stay half open for ever.
      if (socket instanceof Socket) socket.allowHalfOpen = false
      return this.#tls.emit("connection", ...args)
    }
    if (event === "upgrade") return this.#upgrade(args)
    if (event === "clientError" && this.#headTimedOut(args)) return true
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [from, to] = args
    if (!(from instanceof ClientRequest && to instanceof HeldResponse)) return super.emit(event, ...args)
    const connection = this.#connections.began(from.socket, to)
    // The parser goes on to the end of what was read.
    if (from.socket.destroyed) return true
    to.isLast = this.#isStopping
    readTarget(from)
    this.#proxies?.adopt(from)
    const { method, url = "" } = from
    const began = performance.now()
    if (connection !== undefined) to.written = () => this.#connections.wrote(connection)
    this.#requests.began()
    to.on("close", () => {
      if (connection !== undefined) this.#connections.ended(connection, to)
      this.#requests.completed(method, url, to.statusCode, to.headersSent, performance.now() - began)
      // Its head may be older than the stop, and invite another request.
      if (this.#stopping) this.closeIdleConnections()
      if (to.writableFinished) from.drain()
    })
    if (connection?.surplus === true) {
      to.setHeader("connection", "close")
      if (!isHealth(url)) return answer(from, to, Unavailable.connections())
    }
    const isRouted = this.#proxies?.takes(from) !== true
    if (connection !== undefined && hasBody(from)) this.#awaitBody(connection, from, to, isRouted)
    if (isRouted) return this.#route(from, to, () => super.emit(event, ...args))
    this.#proxies?.serve(from, to, this.#options, () => this.#outlasts(from.socket, to))
    return true
  }

  /** @param isRouted the gateway reads the body in any case; that of a proxied call only where `to.reads` says so */
  #awaitBody(connection: Connection, from: ClientRequest, to: HeldResponse, isRouted: boolean): void {
    const begin = () => {
      from.hold()
      const awaited = this.#connections.awaits(connection, from)
      const over = () => this.#connections.answered(awaited)
      // An answer behind others has no end of its own when the connection breaks.
      to.once("close", over)
      from.once("close", over)
    }
    if (isRouted) begin()
    else to.reads = begin
  }

  /** Gives a request to the router's handler, which is missing while the process starts and at the end of its stop. */
  #route(from: IncomingMessage, to: ServerResponse, serve: () => boolean): boolean {
    if (this.listenerCount("request") > 0) return serve()
    if (this.#stopping) return answer(from, to, Unavailable.stopping())
    this.#early.push({ from, to, serve })
    return true
  }

  override close(done?: (error?: Error) => void): this {
    this.#stopping = true
    const others = [...this.#adopted]
    let open = others.length + 1
    const closed = (error?: Error) => {
      open -= 1
      if (open === 0) done?.(error)
    }
    for (const other of others) {
      other.once("close", () => closed())
      if (other.listening) other.close()
    }
    super.close(closed)
    this.#connections.stop()
    for (const socket of this.#outlasting) socket.destroy()
    for (const { from, to } of this.#early.splice(0)) answer(from, to, Unavailable.stopping())
    return this
  }

  /**
   * Closes the connections that are idle after `limits.lastIdle`. Node calls it at once when the server closes, and
   * would cut off the request that a client is just sending.
   */
  override closeIdleConnections(): void {
    clearTimeout(this.#idleEnd)
    this.#idleEnd = setTimeout(() => super.closeIdleConnections(), this.#connections.limits.lastIdle).unref()
  }

  /** Answers the requests whose handlers have not answered, because the process ends before they would. */
  answerUnanswered(): void {
    for (const to of this.#connections.answers) {
      if (!to.headersSent) answer(to.req, to, Unavailable.stopping())
    }
  }

  /** Serves the connections of another server too, which stops with this one. */
  adopt(other: NetServer): void {
    this.#adopted.add(other)
    other.on("connection", (socket) => void this.emit("connection", socket))
    other.once("close", () => this.#adopted.delete(other))
  }

  /** Uses another certificate for new connections. Open connections keep theirs. */
  renew(certificate: Certificate): void {
    this.#tls?.setSecureContext({ ...certificate, ...tlsOptions })
  }

  #upgrade([from, socket, head]: ReadonlyArray<unknown>): boolean {
    if (!(from instanceof ClientRequest && socket instanceof Duplex && Buffer.isBuffer(head))) return false
    if (this.#connections.upgraded(socket)) {
      socket.on("error", () => {})
      const { body, headers, status } = refusal(from, Unavailable.connections())
      refuse({ from, socket }, status, headers, body)
      return true
    }
    this.#outlasts(socket, socket)
    this.#proxies?.upgrade(from, socket, this.#options, head)
    return true
  }

  /**
   * Ends a connection on which no request, or only a part of its head, arrived in time. Node would answer without a body
   * and a request id, and also a client that has not asked anything, which takes it for the answer to its first request.
   *
   * Returns whether that is what has happened.
   */
  #headTimedOut([error, socket]: ReadonlyArray<unknown>): boolean {
    const isLate = Predicate.hasProperty(error, "code") && error.code === "ERR_HTTP_REQUEST_TIMEOUT"
    if (!isLate || !(socket instanceof Socket)) return false
    if (socket.bytesRead === 0 || !this.#connections.isIdle(socket)) {
      socket.destroy()
      return true
    }
    const { code, detail } = RequestTimeout.head(this.#connections.limits.head / 1000)
    refuse({ socket }, 408, ["X-Request-Id", requestIdOf(undefined)], { detail, code })
    return true
  }

  /** @param until closes when the connection is an ordinary one again, or is gone */
  #outlasts(socket: Duplex, until: Duplex | ServerResponse): void {
    if (this.#stopping) return void socket.destroy()
    this.#outlasting.add(socket)
    until.once("close", () => this.#outlasting.delete(socket))
  }
}

/**
 * Requests that are served beyond the connection ceiling: health checks keep working while other clients are
 * rejected.
 */
const isHealth = (url: string): boolean => /^\/health(\/|\?|$)/.test(url)

/** The answer to a request that the listener itself refuses. */
const refusal = ({ headers, url = "" }: IncomingMessage, failure: Unavailable) => {
  const { body, status } = url.startsWith(kubernetesPrefix)
    ? clusterStatus(failure)
    : { status: 503, body: { detail: failure.detail, code: failure.code } }
  const { traceparent } = headers
  const id = requestIdOf(typeof traceparent === "string" ? traceparent : undefined)
  return { status, headers: ["Retry-After", "1", "X-Request-Id", id], body }
}

const answer = (from: IncomingMessage, to: ServerResponse, failure: Unavailable): boolean => {
  const { body, headers, status } = refusal(from, failure)
  sendOwn(to, { status, body }, [...headers, "Connection", "close"])
  return true
}
