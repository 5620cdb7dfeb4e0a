import { lookup, type LookupAddress, type LookupOptions } from "node:dns"
import { BlockList, isIP } from "node:net"

/**
 * Where no cluster's keys are, and where an address that somebody else decides
 * could lead: this machine, its link, whose neighbour tells secrets to whoever
 * asks, everybody at once, and IPv6 addresses that stand for one of IPv4.
 * Private networks are no part of it, because that is where clusters are.
 */
const refused = new BlockList()
for (const [prefix, bits] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 3]
] as const) {
  refused.addSubnet(prefix, bits, "ipv4")
}
for (const [prefix, bits] of [
  // Unspecified, loopback, and what holds an address of IPv4, but for the mapped ones, which count as that; then the
  // translated, 6to4 and Teredo ones.
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["2001::", 32],
  ["fe80::", 10],
  ["ff00::", 8]
] as const) {
  refused.addSubnet(prefix, bits, "ipv6")
}

/** Whether an IP address is one that is never connected to. What is no address is. */
export const isRefused = (address: string): boolean => {
  const version = isIP(address)
  return version === 0 || refused.check(address, version === 6 ? "ipv6" : "ipv4")
}

/** Whether the host of an address is written as an IP address that is never connected to: names are looked up later. */
export const isRefusedLiteral = ({ hostname }: URL): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  return isIP(host) !== 0 && isRefused(host)
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
