import { addressOf, contains, type Prefix, prefixOf } from "@portico/contract/Networks"

/** Where a call comes from: the IP address, looked up when somebody asks; undefined when it is not known. */
export type Source = () => string | undefined

/** As they are compared. */
export const prefixesOf = (networks: ReadonlyArray<string>): ReadonlyArray<Prefix> =>
  networks.map(prefixOf).filter((_) => _ !== undefined)

/** Whether a call comes from a network of each list. One from nowhere does not, unless there is no list. */
export const comesFrom = (lists: ReadonlyArray<ReadonlyArray<Prefix>>, source: Source | undefined): boolean => {
  if (lists.length === 0) return true
  const text = source?.()
  const address = text === undefined ? undefined : addressOf(text)
  return address !== undefined && lists.every((_) => contains(_, address))
}

/** Whether every network of `inner` lies in one of `outer`. */
export const liesWithin = (inner: ReadonlyArray<string>, outer: ReadonlyArray<string>): boolean => {
  const networks = prefixesOf(outer)
  return inner.map(prefixOf).every((_) => _ !== undefined && contains(networks, _))
}
