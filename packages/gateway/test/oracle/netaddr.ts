import { isIPv6 } from "node:net"
import { int } from "./python.ts"

/** A block of addresses: how many of its leading bits are fixed. None: everybody. */
export interface Network {
  readonly version: 4 | 6
  readonly prefixLength: number
}

const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
const dotted = new RegExp(`^${octet}(?:\\.${octet}){3}$`)

/**
 * `netaddr.IPNetwork(text)`; undefined where it raises. What is behind the
 * slash is a number as `int` reads it, or else a mask of either kind.
 *
 * @param release before netaddr 1.0 an IPv4 address could be cut short, and have its numbers in any spelling of `int`
 */
export const networkOf = (text: string, release: "old" | "new"): Network | undefined => {
  const slash = text.indexOf("/")
  const address = slash < 0 ? text : text.slice(0, slash)
  const version = versionOf(address, release)
  if (version === undefined) return undefined
  const width = version === 4 ? 32 : 128
  if (slash < 0) return { version, prefixLength: width }
  const behind = text.slice(slash + 1)
  const number = int(behind)
  const prefixLength = number === undefined ? maskLength(behind, version) : Number(number)
  return prefixLength === undefined || prefixLength < 0 || prefixLength > width ? undefined : { version, prefixLength }
}

const versionOf = (address: string, release: "old" | "new"): 4 | 6 | undefined => {
  if (dotted.test(address)) return 4
  if (isIPv6(address) && !address.includes("%")) return 6
  return release === "old" && expandable(address) ? 4 : undefined
}

const expandable = (address: string): boolean => {
  const numbers = address.includes(":") ? [] : address.split(".").map(int)
  return numbers.length >= 1 && numbers.length <= 4 && numbers.every((_) => _ !== undefined && _ >= 0n && _ <= 255n)
}

/** A netmask has its ones in front, a hostmask behind; all zeros are a netmask of length 0. */
const maskLength = (mask: string, version: 4 | 6): number | undefined => {
  const bits = version === 4 ? bits4(mask) : bits6(mask)
  if (bits === undefined) return undefined
  if (/^1*0*$/.test(bits)) return bits.lastIndexOf("1") + 1
  return /^0+1+$/.test(bits) ? bits.indexOf("1") : undefined
}

const bits4 = (address: string): string | undefined =>
  dotted.test(address)
    ? address
        .split(".")
        .map((_) => Number(_).toString(2).padStart(8, "0"))
        .join("")
    : undefined

/** A URL spells every IPv6 address in one way, with at most one gap. */
const bits6 = (address: string): string | undefined => {
  if (!isIPv6(address) || address.includes("%")) return undefined
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::")
  const front = head === "" ? [] : head.split(":")
  const back = tail === undefined || tail === "" ? [] : tail.split(":")
  const gap: ReadonlyArray<string> = Array.from({ length: 8 - front.length - back.length }, () => "0")
  return [...front, ...gap, ...back].map((_) => Number.parseInt(_, 16).toString(2).padStart(16, "0")).join("")
}
