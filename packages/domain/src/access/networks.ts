import { addressOf, contains, networkOf } from "@portico/contract/Networks"
import type { IpNetwork } from "effect/net"

/** Where a call comes from: the IP address, looked up when somebody asks; undefined when it is not known. */
export type Source = () => string | undefined

/** As they are compared. */
export type Networks = ReadonlyArray<IpNetwork.IpNetwork>

export const networksOf = (networks: ReadonlyArray<string>): Networks => networks.flatMap((_) => networkOf(_) ?? [])

/** Whether a call comes from a network of each list. One from nowhere does not, unless there is no list. */
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
