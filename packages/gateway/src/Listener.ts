import { IncomingMessage, Server, ServerResponse } from "node:http"
import { Duplex } from "node:stream"
import type { Proxies } from "./proxy/Proxies.ts"

/** A client that says nothing for so long in the middle of something is let go of. */
const idle = 300_000

/** How long a client may go on with a body after its answer. */
const lingering = 5_000

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
  readonly #own: string | undefined
  /** Connections that would not end by themselves. */
  readonly #outlasting = new Set<Duplex>()

  /** @param own where clients reach this plane, without a slash at the end */
  constructor(proxies: Proxies["Service"], own: string | undefined) {
    // A request may take as long as something of it arrives; Node would end it after five minutes in all.
    super({
      IncomingMessage: Request,
      requestTimeout: 0,
      headersTimeout: 60_000,
      // To everybody else an upgrade is an offer that may be passed over.
      shouldUpgradeCallback: (from) => proxies.upgrades(from)
    })
    this.timeout = idle
    this.#proxies = proxies
    this.#own = own
  }

  override emit(event: string, ...args: ReadonlyArray<unknown>): boolean {
    if (event === "upgrade") return this.#upgrade(args)
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [from, to] = args
    if (!(from instanceof Request && to instanceof ServerResponse)) return super.emit(event, ...args)
    if (!this.listening) to.setHeader("connection", "close")
    to.once("close", () => {
      if (!this.listening) setImmediate(() => this.closeIdleConnections())
    })
    if (!this.#proxies.takes(from)) return super.emit(event, ...args)
    to.once("finish", () => from.forget())
    this.#proxies.serve(from, to, this.#own, () => this.#outlasts(from.socket, to))
    return true
  }

  override close(done?: (error?: Error) => void): this {
    super.close(done)
    for (const socket of this.#outlasting) socket.destroy()
    return this
  }

  #upgrade([from, socket, head]: ReadonlyArray<unknown>): boolean {
    if (!(from instanceof IncomingMessage && socket instanceof Duplex && Buffer.isBuffer(head))) return false
    this.#outlasts(socket, socket)
    this.#proxies.upgrade(from, socket, head)
    return true
  }

  /** @param until what closes when the connection is an ordinary one again, or gone */
  #outlasts(socket: Duplex, until: Duplex | ServerResponse): void {
    if (!this.listening) return void socket.destroy()
    this.#outlasting.add(socket)
    until.once("close", () => this.#outlasting.delete(socket))
  }
}
