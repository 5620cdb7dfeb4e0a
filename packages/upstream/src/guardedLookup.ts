import { Context } from "effect"
import { lookup, type LookupAddress, type LookupOptions } from "node:dns"

type Found = (error: Error | null, address: string | Array<LookupAddress>, family?: number) => void

/** How names are looked up: by the operating system. */
export const NameLookup = Context.Reference<
  (
    hostname: string,
    options: LookupOptions & { all: true },
    found: (error: Error | null, addresses: Array<LookupAddress>) => void
  ) => void
>("portico/upstream/NameLookup", { defaultValue: () => lookup })

/** What a connection is refused with. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress"
}

/**
 * Looks a name up for a connection, and lets it through only when every one of
 * its addresses may be connected to. The connection is then made to these, so
 * that a second answer of the name server changes nothing.
 */
export const guardedLookup =
  (find: typeof NameLookup.Service, isRefused: (address: string) => boolean) =>
  (hostname: string, options: LookupOptions, found: Found): void =>
    find(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null) return found(error, [])
      if (first === undefined || addresses.some((_) => isRefused(_.address))) {
        return found(new RefusedAddress(hostname), [])
      }
      if (options.all === true) found(null, addresses)
      else found(null, first.address, first.family)
    })
