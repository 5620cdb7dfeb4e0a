import { Growing, littleEndian } from "./Growing.ts"

/** What Java clients put in front of their blocks. */
const javaMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
/** The magic and two version numbers. */
const javaHeader = 16

/**
 * Decompresses snappy: one block, as librdkafka writes it, or blocks behind a header, as Java clients do.
 *
 * @returns undefined for what is broken, or longer than the limit
 */
export const unsnappy = (bytes: Buffer, limit: number): Buffer | undefined => {
  const output = new Growing(limit)
  if (!bytes.subarray(0, javaMagic.length).equals(javaMagic)) return block(bytes, output) ? output.content : undefined
  for (let at = javaHeader; at < bytes.length;) {
    const end = at + 4 + littleEndian(bytes.subarray(at, at + 4).toReversed())
    if (end > bytes.length || !block(bytes.subarray(at + 4, end), output)) return undefined
    at = end
  }
  return output.content
}

/** @returns whether the block is whole */
const block = (bytes: Buffer, output: Growing): boolean => {
  const start = output.length
  let at = 0
  let expected = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]
    if (byte === undefined || shift > 28) return false
    expected += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
  }
  while (at < bytes.length) {
    const tag = bytes[at++] ?? 0
    const kind = tag & 3
    if (kind === 0) {
      // A literal. Its length less one is in the tag, or in the 1 to 4 bytes behind it.
      const inTag = tag >> 2
      const more = Math.max(0, inTag - 59)
      const length = 1 + (more === 0 ? inTag : littleEndian(bytes.subarray(at, at + more)))
      at += more
      if (!output.append(bytes.subarray(at, at + length), length)) return false
      at += length
    } else {
      const width = [0, 1, 2, 4][kind] ?? 0
      const low = littleEndian(bytes.subarray(at, at + width))
      const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2)
      if (!output.repeat(kind === 1 ? ((tag >> 5) << 8) + low : low, length)) return false
      at += width
    }
  }
  return output.length - start === expected
}
