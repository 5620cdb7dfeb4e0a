import { IncomingMessage, Server, ServerResponse } from "node:http"
import { Duplex } from "node:stream"
import type { Proxies } from "./proxy/Proxies.ts"

/** A client that says nothing for so long in the middle of something is let go of. */
const idle = 300_000

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
    if (!(from instanceof IncomingMessage && to instanceof ServerResponse)) return super.emit(event, ...args)
    if (!this.listening) to.setHeader("connection", "close")
    to.once("close", () => {
      if (!this.listening) setImmediate(() => this.closeIdleConnections())
    })
    if (!this.#proxies.takes(from)) return super.emit(event, ...args)
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
