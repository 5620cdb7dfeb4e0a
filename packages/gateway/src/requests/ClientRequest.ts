import { IncomingMessage } from "node:http"

/** Bytes of a piece of a body that is put together with others, and of what they become. */
const smallPiece = 1024
const gatheredBytes = 16 * 1024
/** So many pass as they are: an ordinary small body is not copied. */
const freePieces = 8

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

  /** The gateway reads the whole body itself, so that no piece of it has to pass at once. */
  hold(): void {
    this.#isHeld = true
  }

  /**
   * Small pieces that wait anyway are put together until somebody reads: each takes hundreds of bytes of memory, and a
   * body may be sent in pieces of one byte.
   */
  override push(piece: unknown, encoding?: BufferEncoding): boolean {
    const waits = this.#isHeld || this.readableLength > 0
    if (waits && Buffer.isBuffer(piece) && piece.length < smallPiece && this.#pieces++ >= freePieces)
      return this.#gather(piece)
    this.#pass()
    return super.push(piece, encoding)
  }

  /** Nothing is kept back from a reader: a client may wait for an answer to a piece before it sends another one. */
  override read(size?: number): unknown {
    // The stream itself reads nothing by 0, in order to be given more.
    if (size !== 0 && !this.#isHeld) this.#pass()
    return super.read(size)
  }

  #gather(piece: Buffer): boolean {
    const wantsMore = this.#length + piece.length <= gatheredBytes || this.#pass()
    // Not of the pool, of which a small part would keep all alive.
    this.#gathered ??= Buffer.allocUnsafeSlow(gatheredBytes)
    this.#length += piece.copy(this.#gathered, this.#length)
    return wantsMore
  }

  /** Passes what was gathered on. Returns whether the reader wants more. */
  #pass(): boolean {
    const gathered = this.#gathered?.subarray(0, this.#length)
    this.#gathered = undefined
    this.#length = 0
    return gathered === undefined || super.push(gathered)
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
