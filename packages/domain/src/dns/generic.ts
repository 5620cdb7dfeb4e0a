import { RecordType } from "@portico/contract/Dns"
import { Result } from "effect"
import { type Data, dataOf, textOf } from "./data.ts"
import type { Word } from "./lines.ts"

/** The numbers of the types that a zone file's reader treats by name (registry of DNS record types). */
const numbers: Readonly<Record<RecordType | "NS" | "SOA", number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28
}

const names: ReadonlyMap<number, string> = new Map(Object.entries(numbers).map(([name, number]) => [number, name]))

/**
 * The name of a type in the generic spelling `TYPE1` of RFC 3597, section 5. A type that the reader does not treat by
 * name keeps its spelling. Undefined for any other text, and for a number that no type can have.
 */
export const genericType = (upper: string): string | undefined => {
  const [, digits] = /^TYPE(\d{1,5})$/.exec(upper) ?? []
  if (digits === undefined || Number(digits) > 65_535) return undefined
  return names.get(Number(digits)) ?? upper
}

/**
 * Whether data has the generic spelling `\# 4 C0000201` of RFC 3597, section 5, which data of every type may have. As
 * in BIND, a `\#` without a length behind it is a text.
 */
export const isGeneric = ([mark, length]: ReadonlyArray<Word>): boolean =>
  mark?.text === "\\#" && !mark.quoted && length !== undefined && /^\d+$/.test(length.text)

/** Reads data in the generic spelling; see {@link isGeneric}. */
export const genericData = (type: RecordType, [, length, ...words]: ReadonlyArray<Word>): Data => {
  const hex = words.map((_) => _.text).join("")
  if (words.some((_) => _.quoted) || !/^(?:[0-9a-f]{2})*$/i.test(hex) || hex.length !== 2 * Number(length?.text)) {
    return Result.fail("data behind \\# is its length in bytes and as many bytes in hexadecimal")
  }
  return wireData(type, Buffer.from(hex, "hex"))
}

/** The canonical form of data in the form of the wire (RFC 1035, section 3.3; RFC 3596, section 2.2). */
const wireData = (type: RecordType, bytes: Buffer): Data => {
  switch (type) {
    case "A":
      return bytes.length === 4 ? dataOf(type, [...bytes].join(".")) : Result.fail("an A record has 4 bytes")
    case "AAAA":
      return bytes.length === 16
        ? dataOf(type, (bytes.toString("hex").match(/.{4}/g) ?? []).join(":"))
        : Result.fail("an AAAA record has 16 bytes")
    case "CNAME":
      return Result.flatMap(wireName(bytes), (_) => dataOf(type, _))
    case "MX":
      return bytes.length < 3
        ? Result.fail("an MX record has 2 bytes and a name")
        : Result.flatMap(wireName(bytes.subarray(2)), (_) => dataOf(type, `${bytes.readUInt16BE(0)} ${_}`))
    case "TXT":
      return wireTexts(bytes)
  }
}

/** The pieces of bytes that each begin with their length; undefined when the bytes do not end with a piece. */
const piecesOf = (bytes: Buffer): ReadonlyArray<Buffer> | undefined => {
  const pieces: Array<Buffer> = []
  let at = 0
  while (at < bytes.length) {
    const end = at + 1 + bytes.readUInt8(at)
    if (end > bytes.length) return undefined
    pieces.push(bytes.subarray(at + 1, end))
    at = end
  }
  return pieces
}

/** A name, which is never compressed here: RFC 3597, section 4. */
const wireName = (bytes: Buffer): Data => {
  const labels = piecesOf(bytes)?.map((_) => _.toString("latin1"))
  if (labels === undefined || labels.indexOf("") !== labels.length - 1 || labels.some((_) => _.length > 63)) {
    return Result.fail("the data is not a name: its labels, each behind its length, and a zero byte")
  }
  // A dot within a label would read as two labels.
  return labels.some((_) => /[^a-z0-9_-]/i.test(_))
    ? Result.fail("the name in the data has a label with other characters than letters, digits, '_' and '-'")
    : Result.succeed(labels.length === 1 ? "." : labels.join("."))
}

const wireTexts = (bytes: Buffer): Data => {
  const strings = piecesOf(bytes)
  return strings === undefined || strings.length === 0
    ? Result.fail("a TXT record has at least one string, each behind its length")
    : Result.succeed(textOf(strings))
}
