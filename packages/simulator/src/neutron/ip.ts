import { isIPv4, isIPv6 } from "node:net"

export interface Range {
  readonly version: 4 | 6
  readonly first: bigint
  readonly last: bigint
  readonly length: number
}

const bits = { 4: 32, 6: 128 } as const

export const versionOf = (address: string): 4 | 6 | undefined =>
  isIPv4(address) ? 4 : isIPv6(address) && !/[%.]/.test(address) ? 6 : undefined

export const toNumber = (address: string): bigint => {
  if (isIPv4(address)) return address.split(".").reduce((sum, _) => (sum << 8n) + BigInt(_), 0n)
  const [head = "", tail] = address.split("::")
  const groups = (text: string | undefined) => (text === undefined || text === "" ? [] : text.split(":"))
  const [front, back] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => "0")
  return [...front, ...zeros, ...back].reduce((sum, _) => (sum << 16n) + BigInt(`0x${_}`), 0n)
}

export const toText = (version: 4 | 6, value: bigint): string => {
  if (version === 4) return [24n, 16n, 8n, 0n].map((_) => `${(value >> _) & 255n}`).join(".")
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 65535n).toString(16))
  // A URL's host is printed in the shortest form of an address.
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1)
}

/** Reads `address`, `address/length` and `address/netmask`. */
export const parseCidr = (text: string): (Range & { readonly address: bigint }) | undefined => {
  const [host = "", mask, ...more] = text.split("/")
  const version = versionOf(host)
  if (version === undefined || more.length > 0) return undefined
  const length = mask === undefined ? bits[version] : lengthOf(mask, version)
  if (length === undefined || length > bits[version]) return undefined
  const address = toNumber(host)
  const free = BigInt(bits[version] - length)
  const first = (address >> free) << free
  return { version, address, first, last: first + (1n << free) - 1n, length }
}

const lengthOf = (mask: string, version: 4 | 6): number | undefined => {
  if (/^\d{1,3}$/.test(mask)) return Number(mask)
  if (version === 6 || !isIPv4(mask)) return undefined
  const binary = toNumber(mask).toString(2).padStart(32, "0")
  return /^1*0*$/.test(binary) ? binary.replaceAll("0", "").length : undefined
}

export const overlap = (one: string, other: string): boolean => {
  const [a, b] = [parseCidr(one), parseCidr(other)]
  return a !== undefined && b !== undefined && a.version === b.version && a.first <= b.last && b.first <= a.last
}

export const contains = (cidr: string, address: string): boolean => overlap(cidr, address)
