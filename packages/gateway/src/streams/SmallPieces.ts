import type { Duplex } from "node:stream"

/** Bytes of a piece that is put together with others, and of what they become. */
const smallPiece = 1024
const gatheredBytes = 16 * 1024
/**
 * So many pass as they are, and again after each piece of `gatheredBytes`: neither an ordinary small body is copied, nor
 * what is left over at the end of each read of a large one.
 */
const freePieces = 8

/** What a small piece costs of the share of all streams, in bytes: see `whenPaid`. */
const costOfPiece = 1024

/**
 * Puts the small pieces of a body together. Each takes hundreds of bytes of memory and some time, and whoever sends a
 * body may send it in pieces of one byte.
 */
export class SmallPieces {
  #seen = 0
  #gathered: Buffer | undefined
  #length = 0
  #owed = 0

  /** What the pieces that were put together have cost since the last time. */
  get owed(): number {
    return this.#owed
  }

  /** The same, and starts anew. */
  pay(): number {
    const owed = this.#owed
    this.#owed = 0
    return owed
  }

  /** Whether a piece is to be put together with others. */
  isOne(piece: Buffer): boolean {
    if (piece.length >= gatheredBytes) this.#seen = 0
    return piece.length < smallPiece && this.#seen++ >= freePieces
  }

  /** Adds a small piece. Returns what has to pass before it, because there is no more room. */
  add(piece: Buffer): Buffer | undefined {
    const full = this.#length + piece.length > gatheredBytes ? this.take() : undefined
    this.#owed += costOfPiece
    // Not of the pool, of which a small part would keep all alive.
    this.#gathered ??= Buffer.allocUnsafeSlow(gatheredBytes)
    this.#length += piece.copy(this.#gathered, this.#length)
    return full
  }

  /** What was put together so far; undefined for nothing. */
  take(): Buffer | undefined {
    const gathered = this.#gathered?.subarray(0, this.#length)
    this.#gathered = undefined
    this.#length = 0
    return gathered
  }
}

/**
 * Puts together the small pieces that a stream reads in one turn of the event loop. A TLS connection decrypts all that
 * it has read, paused or not, and each record becomes a piece of its own.
 *
 * @returns what they have cost since the last call, see {@link SmallPieces.pay}
 */
export const gatherSmallPieces = (stream: Duplex): (() => number) => {
  const small = new SmallPieces()
  const push = stream.push.bind(stream)
  let isScheduled = false
  const pass = (gathered: Buffer | undefined) => {
    if (gathered !== undefined && !stream.destroyed) push(gathered)
  }
  stream.push = (piece: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(piece) || !small.isOne(piece)) {
      pass(small.take())
      return push(piece, encoding)
    }
    pass(small.add(piece))
    if (!isScheduled) {
      isScheduled = true
      setImmediate(() => {
        isScheduled = false
        pass(small.take())
      })
    }
    // Nothing more is read before the gathered piece is.
    return false
  }
  return () => small.pay()
}
