const unreserved = /[A-Za-z0-9\-_.~]/

/** The bytes that a text with escapes stands for. Something that only looks like an escape stands for itself. */
export const percentDecoded = (text: string): Buffer => {
  const parts = text.split(/(%[0-9a-fA-F]{2})/)
  return Buffer.concat(parts.map((_, i) => (i % 2 === 1 ? Buffer.from(_.slice(1), "hex") : Buffer.from(_))))
}

/** RFC 3986 with as few characters left as it allows; slashes are among them in a path. */
const encoded = (bytes: Buffer, keeps: string): string =>
  Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte)
    return byte < 0x80 && (unreserved.test(character) || keeps.includes(character))
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }).join("")

/**
 * A path as signatures have it: read, and written again in the one canonical
 * way. An escaped slash is a slash, and a plus that is not escaped is escaped,
 * so that only clients that spell canonically themselves can sign such a path.
 */
export const canonicalPath = (path: string): string => encoded(percentDecoded(path), "/")

export const canonicalPart = (text: string): string => encoded(percentDecoded(text), "")

/** The text of some bytes; undefined when they are no UTF-8. */
export const textOf = (bytes: Buffer): string | undefined => {
  const text = bytes.toString("utf8")
  return Buffer.from(text).equals(bytes) ? text : undefined
}

/** The order of everything that the service lists: that of the bytes. */
export const byBytes = (a: string, b: string): number => {
  // Without surrogates, the order of the code units is that of the bytes.
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}

const surrogate = /[\ud800-\udfff]/
