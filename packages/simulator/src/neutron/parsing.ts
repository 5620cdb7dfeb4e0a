import { isIPv4 } from "node:net"
import { parseCidr, toNumber, toText, versionOf } from "./ip.ts"

/**
 * An integer as Python's `int()` parses it: with blanks, a sign, leading zeros, single underscores and the
 * digits of other scripts.
 */
export const pythonInt = (value: unknown): number | undefined => {
  if (typeof value === "number") return Math.trunc(value)
  if (typeof value === "boolean") return Number(value)
  return typeof value === "string" && /^[\s\u0085]*[+-]?\p{Nd}+(?:_\p{Nd}+)*[\s\u0085]*$/u.test(value)
    ? Number(value.replaceAll(/[\s\u0085_]/g, "").replaceAll(/\p{Nd}/gu, digitOf))
    : undefined
}

/** Unicode keeps the ten digits of a script together, from a code point that ends in 0 or in 6. */
const digitOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  if (code >= 0x1d7ce && code <= 0x1d7ff) return String((code - 0x1d7ce) % 10)
  const low = code & 0xf
  return String(low <= 9 && /\p{Nd}/u.test(String.fromCodePoint(code - low)) ? low : low - 6)
}

/** The values for which Python's `not value` is true. */
export const isFalsy = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** `10` and `10.1` are `10.0.0.0` and `10.1.0.0`, and each part is an integer of Python. */
const expanded = (text: string): string | undefined => {
  const parts = text.split(".").map(pythonInt)
  if (text.includes(":") || parts.length > 4) return undefined
  const padded = [...parts, 0, 0, 0].slice(0, 4).join(".")
  return isIPv4(padded) ? padded : undefined
}

/** A netmask or hostmask as a length: `255.255.255.0` and `0.0.0.255` are both 24, `ffff::` is 16. */
const lengthOfMask = (mask: string, version: 4 | 6): number | undefined => {
  if (versionOf(mask) !== version) return undefined
  const bits = toNumber(mask)
    .toString(2)
    .padStart(version === 4 ? 32 : 128, "0")
  if (/^1*0*$/.test(bits)) return bits.replaceAll("0", "").length
  return /^0*1*$/.test(bits) ? bits.replaceAll("1", "").length : undefined
}

/**
 * A network in any form that netaddr accepts, with its host bits: `0/0`, `10.1/16`, ` 0.0.0.0 / 0 `, netmasks
 * and hostmasks.
 */
export const networkOf = (text: string): { readonly text: string; readonly version: 4 | 6 } | undefined => {
  const at = text.indexOf("/")
  const [host, mask] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
  const address = parseCidr(host)
  const known = address === undefined ? expanded(host) : toText(address.version, address.address)
  if (known === undefined) return undefined
  const version = isIPv4(known) ? 4 : 6
  const most = version === 4 ? 32 : 128
  const length = mask === undefined ? most : (pythonInt(mask) ?? lengthOfMask(mask, version))
  return length === undefined || length < 0 || length > most ? undefined : { text: `${known}/${length}`, version }
}
