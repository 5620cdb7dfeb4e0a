import { lookup, type LookupAddress, type LookupOptions } from "node:dns"
import { isIP } from "node:net"
import { isIn, literalOf, neverConnected } from "../addresses.ts"

/**
 * Whether an IP address is one where no cluster's keys are; what is no address
 * is. Private networks are no part of it, because that is where clusters are.
 */
export const isRefused = (address: string): boolean => isIP(address) === 0 || isIn(neverConnected, address)

/** Whether the host of an address is written as an IP address that is never connected to: names are looked up later. */
export const isRefusedLiteral = (url: URL): boolean => {
  const host = literalOf(url)
  return host !== undefined && isRefused(host)
}

type Found = (error: Error | null, address: string | Array<LookupAddress>, family?: number) => void

/**
 * Looks a name up for a connection, and lets it through only when every one of
 * its addresses may be connected to. The connection is then made to these, so
 * that a second answer of the name server changes nothing.
 */
export const guardedLookup = (hostname: string, options: LookupOptions, found: Found): void =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error !== null) return found(error, [])
    if (first === undefined || addresses.some((_) => isRefused(_.address))) {
      return found(new Error(`${hostname} has an address that is not connected to`), [])
    }
    if (options.all === true) found(null, addresses)
    else found(null, first.address, first.family)
  })
