import { Growing, littleEndian } from "./Growing.ts"

const magic = 0x184d2204

/**
 * Decompresses frames of LZ4. Checksums are not looked at: the broker has checked the batch.
 *
 * @returns undefined for what is broken, or longer than the limit
 */
export const unlz4 = (bytes: Buffer, limit: number): Buffer | undefined => {
  const output = new Growing(limit)
  for (let at = 0; at < bytes.length;) {
    const next = frame(bytes, at, output)
    if (next === undefined) return undefined
    at = next
  }
  return output.content
}

/** @returns where the frame ends; undefined for a broken one */
const frame = (bytes: Buffer, start: number, output: Growing): number | undefined => {
  const flags = bytes[start + 4]
  if (flags === undefined || littleEndian(bytes.subarray(start, start + 4)) !== magic) return undefined
  const has = (bit: number): boolean => (flags & (1 << bit)) !== 0
  // Magic, flags, block size and header checksum; the content's size and a dictionary's id may be between them.
  let at = start + 7 + (has(3) ? 8 : 0) + (has(0) ? 4 : 0)
  while (at + 4 <= bytes.length) {
    const size = littleEndian(bytes.subarray(at, at + 4))
    at += 4
    if (size === 0) return at + (has(2) ? 4 : 0)
    const isRaw = size >= 2 ** 31
    const length = size % 2 ** 31
    const block = bytes.subarray(at, at + length)
    if (!(isRaw ? output.append(block, length) : block.length === length && sequences(block, output))) return undefined
    at += length + (has(4) ? 4 : 0)
  }
  return undefined
}

/** @returns whether the block is whole */
const sequences = (block: Buffer, output: Growing): boolean => {
  let at = 0
  /** A length in four bits, and, when they are all set, in the bytes that follow. */
  const extended = (bits: number): number => {
    let length = bits
    for (let byte = bits === 15 ? 255 : 0; byte === 255;) {
      byte = block[at++] ?? 0
      length += byte
    }
    return length
  }
  while (at < block.length) {
    const token = block[at++] ?? 0
    const literals = extended(token >> 4)
    if (!output.append(block.subarray(at, at + literals), literals)) return false
    at += literals
    // The last sequence has no match.
    if (at === block.length) return true
    const distance = littleEndian(block.subarray(at, at + 2))
    at += 2
    if (!output.repeat(distance, 4 + extended(token & 15))) return false
  }
  return false
}
