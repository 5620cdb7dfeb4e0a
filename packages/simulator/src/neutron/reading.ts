import { isIPv4 } from "node:net"
import { parseCidr, toNumber, toText } from "./ip.ts"

/** An integer as Python's `int()` reads it: blanks, a sign, leading zeros and single underscores do not matter. */
export const pythonInt = (value: unknown): number | undefined => {
  if (typeof value === "number") return Math.trunc(value)
  if (typeof value === "boolean") return Number(value)
  return typeof value === "string" && /^\s*[+-]?\d+(?:_\d+)*\s*$/.test(value)
    ? Number(value.trim().replaceAll("_", ""))
    : undefined
}

/** What Python's `not value` is true for. */
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

/** A mask of either sense as a length: `255.255.255.0` and `0.0.0.255` are both 24. */
const lengthOfMask = (mask: string): number | undefined => {
  if (!isIPv4(mask)) return undefined
  const bits = toNumber(mask).toString(2).padStart(32, "0")
  if (/^1*0*$/.test(bits)) return bits.replaceAll("0", "").length
  return /^0*1*$/.test(bits) ? bits.replaceAll("1", "").length : undefined
}

/**
 * A network in the spellings that netaddr takes, with its host bits:
 * `0/0`, `10.1/16`, ` 0.0.0.0 / 0 `, netmasks and hostmasks.
 */
export const networkOf = (text: string): { readonly text: string; readonly version: 4 | 6 } | undefined => {
  const at = text.indexOf("/")
  const [host, mask] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
  const address = parseCidr(host)
  const known = address === undefined ? expanded(host) : toText(address.version, address.address)
  if (known === undefined) return undefined
  const version = isIPv4(known) ? 4 : 6
  const most = version === 4 ? 32 : 128
  const length = mask === undefined ? most : (pythonInt(mask) ?? (version === 4 ? lengthOfMask(mask) : undefined))
  return length === undefined || length < 0 || length > most ? undefined : { text: `${known}/${length}`, version }
}
