import { type IncomingMessage, ServerResponse } from "node:http"
import { hasBody } from "./Exchange.ts"
import { hstsOf } from "./hsts.ts"

/** An answer whose end can be held back. The client does not have the complete answer until it is released. */
export class HeldResponse<From extends IncomingMessage = IncomingMessage> extends ServerResponse<From> {
  #held = false
  #end: (() => void) | undefined
  /** Called after data was handed to the connection. */
  written: (() => void) | undefined
  /** Called when the gateway begins to read the body of the request itself, instead of streaming it. */
  reads: (() => void) | undefined
  /** Asked when the head is written: whether the connection closes behind this answer, which then says so. */
  isLast: (() => boolean) | undefined

  holdBack(): void {
    this.#held = true
  }

  /** Releases the answer, and ends it if the handler has ended it meanwhile. */
  release(): void {
    this.#held = false
    if (!this.destroyed) this.#end?.()
  }

  /** Every head is written by this method, also one that begins with the body. */
  override writeHead(...given: ReadonlyArray<unknown>): this {
    // While a body is still arriving, Node would close too early for the client to read the answer.
    if (this.isLast?.() === true && (this.req.complete || !hasBody(this.req))) this.shouldKeepAlive = false
    Reflect.apply(super.writeHead, this, this.#withHsts(given))
    return this
  }

  /** A header that is set beside an array of names and values makes Node compare each of them, so it joins the array. */
  #withHsts(given: ReadonlyArray<unknown>): ReadonlyArray<unknown> {
    const [name, value] = hstsOf(this.req.socket, this.req.headers.host)
    if (name === undefined || value === undefined) return given
    if (given.some(Array.isArray)) return given.map((_) => (Array.isArray(_) ? [..._, name, value] : _))
    this.setHeader(name, value)
    return given
  }

  override write(...given: ReadonlyArray<unknown>): boolean {
    const wantsMore = Boolean(Reflect.apply(super.write, this, given))
    this.written?.()
    return wantsMore
  }

  override end(...given: ReadonlyArray<unknown>): this {
    if (this.#held) this.#end = () => this.#finish(given)
    else this.#finish(given)
    return this
  }

  #finish(given: ReadonlyArray<unknown>): void {
    Reflect.apply(super.end, this, given)
    this.written?.()
  }

  /** The head of an answer without a body goes out with its end. */
  override flushHeaders(): void {
    if (this.#end === undefined) super.flushHeaders()
  }
}
