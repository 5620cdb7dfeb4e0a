import { Unavailable } from "@portico/contract/Failures"
import { IncomingMessage, Server, type ServerResponse } from "node:http"
import { Socket } from "node:net"
import { Duplex } from "node:stream"
import { createServer, type Server as TlsServer } from "node:tls"
import type { Certificate } from "./Certificate.ts"
import type { Connections } from "./connections/Connections.ts"
import { requestIdOf } from "./requests/RequestId.ts"
import type { Requests } from "./observability/Requests.ts"
import { HeldResponse } from "./proxy/HeldResponse.ts"
import { clusterStatus } from "./proxy/kubernetes/status.ts"
import { refuse } from "./proxy/kubernetes/upgrade.ts"
import type { PlaneOptions, Proxies } from "./proxy/Proxies.ts"
import { kubernetesPrefix } from "./requests/Place.ts"

/** A client that says nothing for so long in the middle of something is let go of. */
const idle = 300_000

/** How long a client may go on with a body after its answer. */
const lingering = 5_000

/** TLS 1.2 at least (RFC 8996), and time for shaking hands. */
const tlsOptions = { minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"], handshakeTimeout: 10_000 } as const

/**
 * A request whose body may stop being wanted before it is over: the answer is
 * there already, or nobody takes it. What is left of it is then read and
 * forgotten, because a connection that closes on bytes that nobody read takes
 * the answer with it, and the next request of the client could not be told
 * from them (RFC 9112, section 9.6).
 */
class Request extends IncomingMessage {
  override destroy(error?: Error): this {
    return this.complete || this.socket.destroyed ? super.destroy(error) : this.resume()
  }

  /** Reads what is left; a client that does not come to its end loses the connection. */
  forget(): void {
    const { socket } = this
    if (this.complete || socket.destroyed) return
    const late = setTimeout(() => socket.destroy(), lingering).unref()
    this.once("close", () => clearTimeout(late)).resume()
  }
}

/**
 * The server of a plane. What leads to a proxy goes there past the router;
 * everything else reaches the listeners as ever. When it stops it lets go of
 * its clients: with the answer that is then under way their connections close,
 * which Node would keep for five seconds more, or for as long as they bring
 * further requests.
 */
export class Listener extends Server {
  readonly #proxies: Proxies["Service"]
  readonly #requests: Requests
  readonly #options: PlaneOptions
  readonly #connections: Connections
  /** Shakes hands where the plane has a certificate; it listens nowhere itself. */
  readonly #tls: TlsServer | undefined
  /** Connections that would not end by themselves. */
  readonly #outlasting = new Set<Duplex>()

  /** @param certificate without it, clients are spoken to in the clear */
  constructor(
    proxies: Proxies["Service"],
    requests: Requests,
    options: PlaneOptions,
    connections: Connections,
    certificate?: Certificate
  ) {
    // An upload may take as long as something of it arrives; Node would end it after five minutes in all.
    super({
      IncomingMessage: Request,
      ServerResponse: HeldResponse,
      requestTimeout: 0,
      headersTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      // Node would answer without a body and an id; `doubtfulHeaders` refuses it.
      requireHostHeader: false,
      // To everybody else an upgrade is an offer that may be passed over.
      shouldUpgradeCallback: (from) => proxies.upgrades(from)
    })
    this.timeout = idle
    // A client may expect what it likes beside `100-continue`, and it may be passed over (RFC 9110, section 10.1.1).
    // Node would answer with a 417 of its own, without an id and unrecorded.
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
    // Who speaks no TLS, or one too old, or does not come to an end of shaking hands.
    this.#tls?.on("tlsClientError", (_, socket) => void socket.destroy())
  }

  override emit(event: string, ...args: ReadonlyArray<unknown>): boolean {
    if (event === "connection") {
      const [socket] = args
      if (socket instanceof Socket) this.#connections.accepted(socket, this.#tls !== undefined)
      if (this.#tls === undefined) return super.emit(event, ...args)
      // TLS has an end of its own; a connection that only the client has closed would stay half open for ever.
      if (socket instanceof Socket) socket.allowHalfOpen = false
      return this.#tls.emit("connection", ...args)
    }
    if (event === "upgrade") return this.#upgrade(args)
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [from, to] = args
    if (!(from instanceof Request && to instanceof HeldResponse)) return super.emit(event, ...args)
    if (!this.listening) to.setHeader("connection", "close")
    const { method, url = "" } = from
    const began = performance.now()
    const surplus = this.#connections.began(from.socket, to)
    to.written = () => this.#connections.wrote(to.socket)
    this.#requests.began()
    to.once("close", () => {
      this.#requests.over(method, url, to.statusCode, to.headersSent, performance.now() - began)
      if (!this.listening) setImmediate(() => this.closeIdleConnections())
    })
    to.once("finish", () => from.forget())
    if (surplus) {
      to.setHeader("connection", "close")
      if (!isHealth(url)) return full(from, to)
    }
    if (!this.#proxies.takes(from)) return super.emit(event, ...args)
    this.#proxies.serve(from, to, this.#options, () => this.#outlasts(from.socket, to))
    return true
  }

  override close(done?: (error?: Error) => void): this {
    super.close(done)
    this.#connections.stop()
    for (const socket of this.#outlasting) socket.destroy()
    return this
  }

  /** New connections are made under another certificate; open ones stay as they are. */
  renew(certificate: Certificate): void {
    this.#tls?.setSecureContext({ ...certificate, ...tlsOptions })
  }

  #upgrade([from, socket, head]: ReadonlyArray<unknown>): boolean {
    if (!(from instanceof IncomingMessage && socket instanceof Duplex && Buffer.isBuffer(head))) return false
    if (this.#connections.upgraded(socket)) {
      socket.on("error", () => {})
      const { body, head, status } = refusal(from)
      refuse(socket, status, head, body)
      return true
    }
    this.#outlasts(socket, socket)
    this.#proxies.upgrade(from, socket, this.#options, head)
    return true
  }

  /** @param until what closes when the connection is an ordinary one again, or gone */
  #outlasts(socket: Duplex, until: Duplex | ServerResponse): void {
    if (!this.listening) return void socket.destroy()
    this.#outlasting.add(socket)
    until.once("close", () => this.#outlasting.delete(socket))
  }
}

/** What is answered at the ceiling of connections, so that whoever watches the gateway is not locked out with everybody else. */
const isHealth = (url: string): boolean => /^\/health(\/|\?|$)/.test(url)

/** The answer on a connection beyond the ceiling. */
const refusal = ({ headers, url = "" }: IncomingMessage) => {
  const failure = Unavailable.connections()
  const { body, status } = url.startsWith(kubernetesPrefix)
    ? clusterStatus(failure)
    : { status: 503, body: { detail: failure.detail, code: failure.code } }
  const { traceparent } = headers
  const id = requestIdOf(typeof traceparent === "string" ? traceparent : undefined)
  const head = ["Content-Type", "application/json", "Retry-After", "1", "X-Request-Id", id]
  return { status, head, body: Buffer.from(JSON.stringify(body)) }
}

const full = (from: IncomingMessage, to: ServerResponse): boolean => {
  const { body, head, status } = refusal(from)
  to.writeHead(status, [...head, "Content-Length", String(body.length), "Connection", "close"]).end(body)
  return true
}
