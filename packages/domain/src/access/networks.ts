import { addressOf, contains, networkOf } from "@portico/contract/Networks"
import type { IpNetwork } from "effect/net"

/** The IP address of a call, looked up on demand; undefined when it is unknown. */
export type Source = () => string | undefined

/** Parsed networks. */
export type Networks = ReadonlyArray<IpNetwork.IpNetwork>

export const networksOf = (networks: ReadonlyArray<string>): Networks => networks.flatMap((_) => networkOf(_) ?? [])

/**
 * Whether a call comes from a network of each list. A call from an unknown address only passes when
 * there is no list.
 */
export const comesFrom = (lists: ReadonlyArray<Networks>, source: Source | undefined): boolean => {
  if (lists.length === 0) return true
  const text = source?.()
  const address = text === undefined ? undefined : addressOf(text)
  return address !== undefined && lists.every((_) => contains(_, address))
}

/** Whether every network of `inner` lies in one of `outer`. */
export const liesWithin = (inner: ReadonlyArray<string>, outer: ReadonlyArray<string>): boolean => {
  const networks = networksOf(outer)
  return inner.map(networkOf).every((_) => _ !== undefined && contains(networks, _))
}

/**
 * The /64 of an IPv6 address, which is one site (RFC 4291, section 2.5.4): one customer has all of
 * its addresses. An IPv4 address stays as it is.
 */
export const siteOf = (address: string): string => {
  if (!address.includes(":")) return address
  const [head = [], tail = []] = address.split("::").map((_) => (_ === "" ? [] : _.split(":")))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0")
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`
}
