import type { RecordType } from "@portico/contract/Dns"
import { Result } from "effect"
import { isIPv4, isIPv6, SocketAddress } from "node:net"
import { targetName } from "./names.ts"

/** A record's data in canonical form, or what is wrong with it. */
export type Data = Result.Result<string, string>

/**
 * The canonical form of a caller's record data for a type. A text may be given as it is, or quoted
 * as in a zone file.
 */
export const dataOf = (type: RecordType, given: string): Data => {
  switch (type) {
    case "A":
      return isIPv4(given) ? Result.succeed(given) : Result.fail("an A record is an IPv4 address such as 192.0.2.1")
    case "AAAA":
      return addressOf(given)
    case "CNAME":
      return targetName(given)
    case "MX":
      return exchangeOf(given)
    case "TXT":
      return Result.map(stringsOf(given), textOf)
  }
}

/** RFC 5952. */
const addressOf = (given: string): Data =>
  isIPv6(given) && !given.includes("%")
    ? Result.succeed(new SocketAddress({ address: given, family: "ipv6" }).address)
    : Result.fail("an AAAA record is an IPv6 address such as 2001:db8::1")

/** `0 .` declares that the domain accepts no mail (RFC 7505). */
const exchangeOf = (given: string): Data => {
  const [, preference = "", host = ""] = /^(\d{1,5}) +(\S+)$/.exec(given) ?? []
  if (preference === "" || Number(preference) > 65535) {
    return Result.fail("an MX record is a preference and a mail server such as 10 mail.example.org.")
  }
  const target = host === "." ? Result.succeed(host) : targetName(host)
  return Result.map(target, (_) => `${Number(preference)} ${_}`)
}

/** The most bytes in one string of a TXT record, RFC 1035, section 3.3.14. */
const longestString = 255

const quoted = /"((?:[^"\\]|\\.)*)"/gs
const allQuoted = /^"(?:[^"\\]|\\.)*"(?:[ \t]+"(?:[^"\\]|\\.)*")*$/s

const stringsOf = (given: string): Result.Result<ReadonlyArray<Buffer>, string> => {
  if (!allQuoted.test(given)) return Result.succeed([Buffer.from(given, "utf8")])
  const strings = [...given.matchAll(quoted)].map(([, inner = ""]) => bytesOf(inner))
  if (strings.some((_) => _ === undefined)) return Result.fail(badEscape)
  const known = strings.filter((_) => _ !== undefined)
  return known.some((_) => _.length > longestString)
    ? Result.fail(
        `a quoted string of a TXT record has at most ${longestString} bytes: split it, or send it without quotes`
      )
    : Result.succeed(known)
}

export const badEscape = "an escape is \\ and a character, or \\ and three digits up to 255"

/** Decodes a zone file's text: `\"`, `\\` and `\065` are one byte each. Undefined for an invalid escape. */
export const bytesOf = (text: string): Buffer | undefined => {
  const pieces = text.match(/\\\d{3}|\\[^\d]|\\|[^\\]+/gsu) ?? []
  const bytes = pieces.map((piece) => {
    if (!piece.startsWith("\\")) return Buffer.from(piece, "utf8")
    const [, code] = /^\\(\d{3})$/.exec(piece) ?? []
    if (code === undefined) return piece.length === 1 ? undefined : Buffer.from(piece.slice(1), "utf8")
    return Number(code) > 255 ? undefined : Buffer.from([Number(code)])
  })
  const known = bytes.filter((_) => _ !== undefined)
  return known.length === bytes.length ? Buffer.concat(known) : undefined
}

/** The most characters that Designate takes between two quotes, escapes included (`objects/rrdata_txt.py`). */
const longestWritten = 253

/**
 * The only function that quotes and escapes a text. Every byte that is not printable ASCII becomes
 * `\DDD`, so no reader and no database needs to know an encoding. A longer string becomes several:
 * readers of such texts join them (RFC 7208, section 3.3).
 */
export const textOf = (strings: ReadonlyArray<Uint8Array>): string =>
  strings
    .flatMap(cut)
    .map((_) => `"${_}"`)
    .join(" ")

const cut = (string: Uint8Array): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let part = ""
  for (const byte of string) {
    const written = escaped(byte)
    if (part.length + written.length > longestWritten) {
      parts.push(part)
      part = ""
    }
    part += written
  }
  return [...parts, part]
}

const escaped = (byte: number): string => {
  const character = String.fromCharCode(byte)
  if (character === '"' || character === "\\") return `\\${character}`
  return byte < 0x20 || byte > 0x7e ? `\\${String(byte).padStart(3, "0")}` : character
}

/**
 * The canonical records of a set, without duplicates, in the given order; or the first invalid
 * record and its fault.
 */
export const recordsOf = (
  type: RecordType,
  given: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, string> => {
  if (type === "CNAME" && given.length > 1) return Result.fail("records: a CNAME has one record")
  const records: Array<string> = []
  for (const [i, one] of given.entries()) {
    const data = dataOf(type, one)
    if (Result.isFailure(data)) return Result.fail(`records[${i}]: ${data.failure}`)
    records.push(data.success)
  }
  return Result.succeed([...new Set(records)])
}

/** The form in which two records are compared; another client may have written another spelling. */
export const comparable = (type: string, record: string): string => {
  switch (type) {
    case "A":
    case "AAAA":
    case "CNAME":
    case "MX":
    case "TXT":
      return Result.getOrElse(dataOf(type, record), () => record)
    default:
      return record
  }
}
