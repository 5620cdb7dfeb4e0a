import { Unavailable } from "@portico/contract/Failures"
import { IncomingMessage, Server, type ServerResponse } from "node:http"
import { Socket } from "node:net"
import { Duplex } from "node:stream"
import { createServer, type Server as TlsServer } from "node:tls"
import type { Certificate } from "./Certificate.ts"
import type { Connections } from "./connections/Connections.ts"
import { requestIdOf } from "./requests/RequestId.ts"
import type { Requests } from "./observability/Requests.ts"
import { sendJson } from "./proxy/Exchange.ts"
import { HeldResponse } from "./proxy/HeldResponse.ts"
import { clusterStatus } from "./proxy/kubernetes/status.ts"
import { refuse } from "./proxy/kubernetes/upgrade.ts"
import type { PlaneOptions, Proxies } from "./proxy/Proxies.ts"
import { kubernetesPrefix } from "./requests/route.ts"

/** Idle timeout within a request, in milliseconds. */
const idleTimeout = 300_000

/** Milliseconds within which a client has to finish its body after the answer. */
const lingerTimeout = 5_000

/** TLS 1.2 at least (RFC 8996), and a handshake timeout in milliseconds. */
const tlsOptions = { minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"], handshakeTimeout: 10_000 } as const

/**
 * A request whose body the gateway may stop reading early, because the answer is complete or no handler takes the
 * body. The rest of the body is then read and discarded. A connection that is closed with unread bytes loses the
 * answer too, and the gateway cannot tell unread bytes from the client's next request (RFC 9112, section 9.6).
 */
class Request extends IncomingMessage {
  override destroy(error?: Error): this {
    return this.complete || this.socket.destroyed ? super.destroy(error) : this.resume()
  }

  /** Reads and discards the rest of the body. A client that does not finish it in time loses the connection. */
  drain(): void {
    const { socket } = this
    if (this.complete || socket.destroyed) return
    const late = setTimeout(() => socket.destroy(), lingerTimeout).unref()
    this.once("close", () => clearTimeout(late)).resume()
  }
}

/**
 * The server of a plane. A proxied request bypasses the router; every other event reaches the ordinary listeners.
 * When the server stops, each connection closes after the answer that is under way. Node alone would keep it for five
 * seconds more, or for as long as the client sends further requests.
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
  #stopping = false

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
      IncomingMessage: Request,
      ServerResponse: HeldResponse,
      requestTimeout: 0,
      headersTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      // Node would answer without a body and a request id. `doubtfulHeaders` rejects such a request.
      requireHostHeader: false,
      // For every other request an upgrade is an offer that the server may ignore.
      shouldUpgradeCallback: (from) => proxies?.upgrades(from) === true
    })
    this.timeout = idleTimeout
    // A server may ignore expectations other than `100-continue` (RFC 9110, section 10.1.1). Node would answer them
    // with a 417 of its own, without a request id and without an audit record.
    this.on("checkExpectation", (from, to) => void this.emit("request", from, to))
    this.#proxies = proxies
    this.#requests = requests
    this.#options = options
    this.#connections = connections
    this.on("listening", () => connections.start())
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
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [from, to] = args
    if (!(from instanceof Request && to instanceof HeldResponse)) return super.emit(event, ...args)
    if (this.#stopping) to.setHeader("connection", "close")
    this.#proxies?.adopt(from)
    const { method, url = "" } = from
    const began = performance.now()
    const connection = this.#connections.began(from.socket, to)
    if (connection !== undefined) to.written = () => this.#connections.wrote(connection)
    this.#requests.began()
    to.on("close", () => {
      if (connection !== undefined) this.#connections.ended(connection, to)
      this.#requests.completed(method, url, to.statusCode, to.headersSent, performance.now() - began)
      if (this.#stopping) setImmediate(() => this.closeIdleConnections())
      if (to.writableFinished) from.drain()
    })
    if (connection?.surplus === true) {
      to.setHeader("connection", "close")
      if (!isHealth(url)) return full(from, to)
    }
    if (this.#proxies?.takes(from) !== true) return super.emit(event, ...args)
    this.#proxies.serve(from, to, this.#options, () => this.#outlasts(from.socket, to))
    return true
  }

  override close(done?: (error?: Error) => void): this {
    this.#stopping = true
    super.close(done)
    this.#connections.stop()
    for (const socket of this.#outlasting) socket.destroy()
    return this
  }

  /** Uses another certificate for new connections. Open connections keep theirs. */
  renew(certificate: Certificate): void {
    this.#tls?.setSecureContext({ ...certificate, ...tlsOptions })
  }

  #upgrade([from, socket, head]: ReadonlyArray<unknown>): boolean {
    if (!(from instanceof IncomingMessage && socket instanceof Duplex && Buffer.isBuffer(head))) return false
    if (this.#connections.upgraded(socket)) {
      socket.on("error", () => {})
      const { body, headers, status } = refusal(from)
      refuse(socket, status, headers, body)
      return true
    }
    this.#outlasts(socket, socket)
    this.#proxies?.upgrade(from, socket, this.#options, head)
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

/** The answer on a connection beyond the ceiling. */
const refusal = ({ headers, url = "" }: IncomingMessage) => {
  const failure = Unavailable.connections()
  const { body, status } = url.startsWith(kubernetesPrefix)
    ? clusterStatus(failure)
    : { status: 503, body: { detail: failure.detail, code: failure.code } }
  const { traceparent } = headers
  const id = requestIdOf(typeof traceparent === "string" ? traceparent : undefined)
  return { status, headers: ["Retry-After", "1", "X-Request-Id", id], body }
}

const full = (from: IncomingMessage, to: ServerResponse): boolean => {
  const { body, headers, status } = refusal(from)
  sendJson(to, status, [...headers, "Connection", "close"], body)
  return true
}
