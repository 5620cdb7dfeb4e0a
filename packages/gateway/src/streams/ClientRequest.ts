import { IncomingMessage } from "node:http"
import { SmallPieces } from "./SmallPieces.ts"
import { whenPaid } from "./throttles.ts"

/** Milliseconds within which a client has to finish its body after the answer. */
const lingerTimeout = 5_000

/**
 * So many pieces of less than so many bytes on average are no client's way of sending a body that the gateway reads. Node's
 * parser gives them to JavaScript one by one, all that it has read.
 */
const mostTiny = { pieces: 4_096, bytes: 64 }

/**
 * A request whose body the gateway may stop reading early, because the answer is complete or no handler takes the
 * body. The rest of the body is then read and discarded. A connection that is closed with unread bytes loses the
 * answer too, and the gateway cannot tell unread bytes from the client's next request (RFC 9112, section 9.6).
 */
export class ClientRequest extends IncomingMessage {
  #isHeld = false
  readonly #small = new SmallPieces()
  #pieces = 0
  #bytes = 0

  /** The gateway reads the whole body itself, so that no piece of it has to pass at once. */
  hold(): void {
    this.#isHeld = true
  }

  /** Small pieces of one turn of the event loop become one, and those that wait until somebody reads, too. */
  override push(piece: unknown, encoding?: BufferEncoding): boolean {
    // The parser goes on to the end of what was read.
    if (this.socket.destroyed && piece !== null) return false
    if (this.#isHeld && Buffer.isBuffer(piece) && this.#isTooTiny(piece)) {
      this.socket.destroy()
      return false
    }
    if (Buffer.isBuffer(piece) && this.#small.isOne(piece)) {
      if (this.#small.owed === 0) setImmediate(() => this.#goOn())
      this.#pass(this.#small.add(piece))
      // Nothing more is read before this is paid for.
      return false
    }
    this.#pass(this.#small.take())
    return super.push(piece, encoding)
  }

  #isTooTiny({ length }: Buffer): boolean {
    this.#pieces += 1
    this.#bytes += length
    return this.#pieces > mostTiny.pieces && this.#bytes < this.#pieces * mostTiny.bytes
  }

  /** Nothing is kept back from a reader: a client may wait for an answer to a piece before it sends another one. */
  override read(size?: number): unknown {
    // The stream itself reads nothing by 0, in order to be given more.
    if (size !== 0 && !this.#isHeld) this.#pass(this.#small.take())
    return super.read(size)
  }

  override _read(size: number): void {
    const owed = this.#small.pay()
    if (owed === 0) super._read(size)
    else whenPaid(owed, () => super._read(size))
  }

  /** After a turn with small pieces. Where others wait already, they all wait for the reader. */
  #goOn(): void {
    if (this.#isHeld) this._read(0)
    else if (this.readableLength === 0) this.#pass(this.#small.take())
  }

  #pass(gathered: Buffer | undefined): void {
    if (gathered !== undefined) super.push(gathered)
  }

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
