import { addressOf, contains, type Prefix, prefixOf } from "@portico/contract/Networks"
import type { CredentialRow } from "@portico/store/Credentials"

/** Where a call comes from: the IP address, looked up when somebody asks; undefined when it is not known. */
export type Source = () => string | undefined

/** The networks of a credential; undefined when it may be used from everywhere. */
export const networksOf = ({ networks }: Pick<CredentialRow, "networks">): ReadonlyArray<Prefix> | undefined =>
  networks?.map(prefixOf).filter((_) => _ !== undefined)

/** Whether a call comes from one of the networks. One from nowhere does not. */
export const comesFrom = (networks: ReadonlyArray<Prefix>, source: Source | undefined): boolean => {
  const text = source?.()
  const address = text === undefined ? undefined : addressOf(text)
  return address !== undefined && contains(networks, address)
}

/** Whether every network of `inner` lies in one of `outer`. */
export const liesWithin = (inner: ReadonlyArray<string>, outer: ReadonlyArray<string>): boolean => {
  const networks = outer.map(prefixOf).filter((_) => _ !== undefined)
  return inner.map(prefixOf).every((_) => _ !== undefined && contains(networks, _))
}
