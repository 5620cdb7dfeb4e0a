const unreserved = /[A-Za-z0-9\-_.~]/

/** The bytes of a percent-encoded text. A malformed escape stays as it is. */
export const percentDecoded = (text: string): Buffer => {
  const parts = text.split(/(%[0-9a-fA-F]{2})/)
  return Buffer.concat(parts.map((_, i) => (i % 2 === 1 ? Buffer.from(_.slice(1), "hex") : Buffer.from(_))))
}

/** RFC 3986 with the smallest set of unescaped characters, plus slashes in a path. */
const encoded = (bytes: Buffer, keeps: string): string =>
  Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte)
    return byte < 0x80 && (unreserved.test(character) || keeps.includes(character))
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }).join("")

/**
 * The canonical path of a signature: decoded, then encoded again. An escaped slash becomes a slash, and an
 * unescaped plus is escaped, so that only clients with the canonical encoding can sign such a path.
 */
export const canonicalPath = (path: string): string => encoded(percentDecoded(path), "/")

export const canonicalPart = (text: string): string => encoded(percentDecoded(text), "")

/** The text of UTF-8 bytes; undefined for other bytes. */
export const textOf = (bytes: Buffer): string | undefined => {
  const text = bytes.toString("utf8")
  return Buffer.from(text).equals(bytes) ? text : undefined
}

/** The order of every list: by bytes. */
export const byBytes = (a: string, b: string): number => {
  // Without surrogates, the order of code units equals that of the bytes.
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}

const surrogate = /[\ud800-\udfff]/
