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
