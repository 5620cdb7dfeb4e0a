import { IncomingMessage, Server, ServerResponse } from "node:http"
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

  /** @param own where clients reach this plane, without a slash at the end */
  constructor(proxies: Proxies["Service"], own: string | undefined) {
    // A request may take as long as something of it arrives; Node would end it after five minutes in all.
    super({ requestTimeout: 0, headersTimeout: 60_000 })
    this.timeout = idle
    this.#proxies = proxies
    this.#own = own
  }

  override emit(event: string, ...args: ReadonlyArray<unknown>): boolean {
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...args)
    const [from, to] = args
    if (!(from instanceof IncomingMessage && to instanceof ServerResponse)) return super.emit(event, ...args)
    if (!this.listening) to.setHeader("connection", "close")
    to.once("close", () => {
      if (!this.listening) setImmediate(() => this.closeIdleConnections())
    })
    if (!this.#proxies.takes(from)) return super.emit(event, ...args)
    this.#proxies.serve(from, to, this.#own)
    return true
  }
}
