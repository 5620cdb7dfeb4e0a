import { Context } from "effect"
import { lookup, type LookupAddress, type LookupOptions } from "node:dns"

type Found = (error: Error | null, address: string | Array<LookupAddress>, family?: number) => void

/** The name lookup; by default the operating system's. */
export const NameLookup = Context.Reference<
  (
    hostname: string,
    options: LookupOptions & { all: true },
    found: (error: Error | null, addresses: Array<LookupAddress>) => void
  ) => void
>("portico/upstream/NameLookup", { defaultValue: () => lookup })

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
