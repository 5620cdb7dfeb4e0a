/** The output of a decompression, up to a limit. */
export class Growing {
  private bytes = Buffer.allocUnsafe(64 * 1024)
  private end = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  get length(): number {
    return this.end
  }

  get content(): Buffer {
    return this.bytes.subarray(0, this.end)
  }

  /** @returns false when the piece is shorter than its length says, or the limit is reached */
  append(piece: Buffer, length: number): boolean {
    if (piece.length !== length || !this.reserve(length)) return false
    piece.copy(this.bytes, this.end)
    this.end += length
    return true
  }

  /**
   * Appends what is so far back in the output, again and again if it is shorter than the length.
   *
   * @returns false when nothing is there, or the limit is reached
   */
  repeat(distance: number, length: number): boolean {
    const from = this.end - distance
    if (distance === 0 || from < 0 || !this.reserve(length)) return false
    if (distance >= length) this.bytes.copy(this.bytes, this.end, from, from + length)
    else for (let n = 0; n < length; n++) this.bytes[this.end + n] = this.bytes[from + n] ?? 0
    this.end += length
    return true
  }

  private reserve(more: number): boolean {
    const needed = this.end + more
    if (needed > this.limit) return false
    if (needed <= this.bytes.length) return true
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length))
    this.bytes.copy(grown, 0, 0, this.end)
    this.bytes = grown
    return true
  }
}

/** An unsigned number of up to four bytes; what is missing counts as zero. */
export const littleEndian = (bytes: Uint8Array): number => bytes.reduceRight((sum, byte) => sum * 256 + byte, 0)
