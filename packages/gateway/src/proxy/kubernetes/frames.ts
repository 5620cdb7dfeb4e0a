/**
 * Tracks the frames of a WebSocket (RFC 6455, section 5.2) by their lengths. The gateway may insert a frame of its
 * own only between two frames.
 */
export class Frames {
  /** Bytes of the current payload that are still to come. */
  #left = 0
  /** The beginning of an incomplete frame head. */
  #head = Buffer.alloc(0)

  /** Whether all bytes so far form complete frames. */
  get isBetween(): boolean {
    return this.#left === 0 && this.#head.length === 0
  }

  pass(piece: Buffer): void {
    let at = Math.min(this.#left, piece.length)
    this.#left -= at
    while (at < piece.length) {
      const before = this.#head.length
      const head = Buffer.concat([this.#head, piece.subarray(at, at + longestHead - before)])
      const size = sizesOf(head)
      if (size === undefined) {
        this.#head = head
        return
      }
      this.#head = none
      at += size.head - before
      const taken = Math.min(size.payload, piece.length - at)
      this.#left = size.payload - taken
      at += taken
    }
  }
}

const none = Buffer.alloc(0)

/** Two bytes, eight of an extended length, four of a mask. */
const longestHead = 14

/** Undefined while the head is incomplete. */
const sizesOf = (head: Buffer): { readonly head: number; readonly payload: number } | undefined => {
  const second = head[1]
  if (second === undefined) return undefined
  const short = second & 0x7f
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0
  const size = 2 + extended + (second >= 0x80 ? 4 : 0)
  if (head.length < size) return undefined
  const payload = extended === 2 ? head.readUInt16BE(2) : extended === 8 ? Number(head.readBigUInt64BE(2)) : short
  return { head: size, payload }
}

/** A server's close frame with code 1008, policy violation (RFC 6455, sections 5.5.1 and 7.4.1). */
export const closingFrame = (reason: string): Buffer => {
  // The payload of a control frame has at most 125 bytes. The text is ASCII, so a cut splits no character.
  const text = Buffer.from(reason.replaceAll(/[^ -~]/g, "?")).subarray(0, 123)
  return Buffer.concat([Buffer.from([0x88, text.length + 2, 1008 >> 8, 1008 & 0xff]), text])
}
