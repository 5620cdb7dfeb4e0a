import { Context } from "effect"
import { lookup, type LookupAddress, type LookupOptions } from "node:dns"
import { type Lookup, nameServerLookup } from "./dns/nameServerLookup.ts"
import { nameServersFirst } from "./dns/nameServersFirst.ts"

/** No name has more that is meant to be connected to. */
export const maxAddresses = 64

type Found = (error: Error | null, address: string | Array<LookupAddress>, family?: number) => void

/** The lookup of names that an operator registered, while a tenant may run their name servers. */
export const RegisteredNameLookup = Context.Reference<Lookup>("portico/upstream/RegisteredNameLookup", {
  defaultValue: () => nameServersFirst(nameServerLookup(), lookup)
})

/** The lookup of names that tenants chose. */
export const TenantNameLookup = Context.Reference<Lookup>("portico/upstream/TenantNameLookup", {
  defaultValue: () => nameServerLookup()
})

/** The error of a connection to a refused address. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress"
}

/**
 * A name lookup for a connection. It succeeds only when the gateway may connect
 * to every address of the name. The connection uses these addresses, so a
 * different second response of the name server has no effect.
 */
export const guardedLookup =
  (find: Lookup, isRefused: (address: string) => boolean) =>
  (hostname: string, options: LookupOptions, found: Found): void =>
    find(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return found(error, [])
      const [first] = addresses
      // Each address is checked, and a response of a name server has room for thousands.
      if (first === undefined || addresses.length > maxAddresses || addresses.some((_) => isRefused(_.address))) {
        return found(new RefusedAddress(hostname), [])
      }
      if (options.all === true) found(null, addresses)
      else found(null, first.address, first.family)
    })
