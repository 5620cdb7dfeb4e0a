/**
 * Tracks the frames of a WebSocket (RFC 6455, section 5.2) by their lengths. The gateway may insert a frame of its
 * own only between two frames. It makes nothing for a frame: whoever sends may send millions of empty ones.
 */
export class Frames {
  /** Bytes of the current payload that are still to come. */
  #left = 0
  /** Bytes of the current head so far, and in all as far as is known. */
  #read = 0
  #head = shortestHead
  /** Bytes of the head that hold the length of the payload, behind the first two. */
  #extended = 0
  #payload = 0

  /** Whether all bytes so far form complete frames. */
  get isBetween(): boolean {
    return this.#left === 0 && this.#read === 0
  }

  pass(piece: Buffer): void {
    let at = 0
    while (at < piece.length) {
      if (this.#left === 0) this.#readHead(piece[at++] ?? 0)
      const taken = Math.min(this.#left, piece.length - at)
      this.#left -= taken
      at += taken
    }
  }

  #readHead(byte: number): void {
    if (this.#read === 1) {
      const short = byte & 0x7f
      this.#extended = short === 126 ? 2 : short === 127 ? 8 : 0
      this.#head = shortestHead + this.#extended + (byte >= 0x80 ? maskBytes : 0)
      this.#payload = this.#extended === 0 ? short : 0
    } else if (this.#read >= shortestHead && this.#read < shortestHead + this.#extended) {
      this.#payload = this.#payload * 256 + byte
    }
    this.#read += 1
    if (this.#read < this.#head) return
    this.#left = this.#payload
    this.#read = 0
    this.#head = shortestHead
  }
}

const shortestHead = 2
const maskBytes = 4

/** A server's close frame with code 1008, policy violation (RFC 6455, sections 5.5.1 and 7.4.1). */
export const closingFrame = (reason: string): Buffer => {
  // The payload of a control frame has at most 125 bytes. The text is ASCII, so a cut splits no character.
  const text = Buffer.from(reason.replaceAll(/[^ -~]/g, "?")).subarray(0, 123)
  return Buffer.concat([Buffer.from([0x88, text.length + 2, 1008 >> 8, 1008 & 0xff]), text])
}
