import { type IncomingMessage, ServerResponse } from "node:http"

/** An answer whose end can be held back: until it is let go its client does not have it whole. */
export class HeldResponse<From extends IncomingMessage = IncomingMessage> extends ServerResponse<From> {
  #held = false
  #end: (() => void) | undefined
  /** Called when something was handed to the connection. */
  written: () => void = () => {}

  holdBack(): void {
    this.#held = true
  }

  /** Ends it where it was to be ended meanwhile. */
  letGo(): void {
    this.#held = false
    if (!this.destroyed) this.#end?.()
  }

  override write(...given: ReadonlyArray<unknown>): boolean {
    const wantsMore = Boolean(Reflect.apply(super.write, this, given))
    this.written()
    return wantsMore
  }

  override end(...given: ReadonlyArray<unknown>): this {
    const end = () => {
      Reflect.apply(super.end, this, given)
      this.written()
    }
    if (this.#held) this.#end = end
    else end()
    return this
  }

  /** A head that is an answer by itself goes with the end. */
  override flushHeaders(): void {
    if (this.#end === undefined) super.flushHeaders()
  }
}
