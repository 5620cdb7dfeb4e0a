import { IncomingMessage } from "node:http"
import { whenPaid } from "../streams/turns.ts"

/** Bytes of a piece of a body that is put together with others, and of what they become. */
const smallPiece = 1024
const gatheredBytes = 16 * 1024
/** So many pass as they are: an ordinary small body is not copied. */
const freePieces = 8

/** Of the share of all streams, in bytes. */
const costOfPiece = 1024

/** Milliseconds within which a client has to finish its body after the answer. */
const lingerTimeout = 5_000

/**
 * A request whose body the gateway may stop reading early, because the answer is complete or no handler takes the
 * body. The rest of the body is then read and discarded. A connection that is closed with unread bytes loses the
 * answer too, and the gateway cannot tell unread bytes from the client's next request (RFC 9112, section 9.6).
 */
export class ClientRequest extends IncomingMessage {
  #isHeld = false
  #pieces = 0
  #gathered: Buffer | undefined
  #length = 0
  /** What the gathered pieces cost that the connection has not paid for, see {@link whenPaid}. */
  #owed = 0

  /** The gateway reads the whole body itself, so that no piece of it has to pass at once. */
  hold(): void {
    this.#isHeld = true
  }

  /**
   * Puts small pieces together: each takes hundreds of bytes of memory and some time, and a body may be sent in pieces
   * of one byte. Those of one turn of the event loop become one piece, and those that wait until somebody reads, too.
   */
  override push(piece: unknown, encoding?: BufferEncoding): boolean {
    if (Buffer.isBuffer(piece) && piece.length < smallPiece && this.#pieces++ >= freePieces) {
      this.#gather(piece)
      // Nothing more is read before this is paid for.
      return false
    }
    this.#pass()
    return super.push(piece, encoding)
  }

  /** Nothing is kept back from a reader: a client may wait for an answer to a piece before it sends another one. */
  override read(size?: number): unknown {
    // The stream itself reads nothing by 0, in order to be given more.
    if (size !== 0 && !this.#isHeld) this.#pass()
    return super.read(size)
  }

  override _read(size: number): void {
    const owed = this.#owed
    this.#owed = 0
    if (owed === 0) super._read(size)
    else whenPaid(owed, () => super._read(size))
  }

  #gather(piece: Buffer): void {
    if (this.#length + piece.length > gatheredBytes) this.#pass()
    if (this.#owed === 0) setImmediate(() => this.#goOn())
    this.#owed += costOfPiece
    // Not of the pool, of which a small part would keep all alive.
    this.#gathered ??= Buffer.allocUnsafeSlow(gatheredBytes)
    this.#length += piece.copy(this.#gathered, this.#length)
  }

  /** After a turn with small pieces. Where others wait already, they all wait for the reader. */
  #goOn(): void {
    if (this.#isHeld) this._read(0)
    else if (this.readableLength === 0) this.#pass()
  }

  #pass(): void {
    const gathered = this.#gathered?.subarray(0, this.#length)
    this.#gathered = undefined
    this.#length = 0
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
