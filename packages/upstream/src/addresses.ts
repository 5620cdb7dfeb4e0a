import { BlockList, isIP } from "node:net"

/** A range of addresses: its prefix, and how many bits of it count. */
export type Range = readonly [prefix: string, bits: number]

interface Ranges {
  readonly ipv4: ReadonlyArray<Range>
  readonly ipv6: ReadonlyArray<Range>
}

/** This machine, its link, whose neighbour tells secrets to whoever asks, and everybody at once. */
const never: Ranges = {
  ipv4: [
    ["0.0.0.0", 8],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    // Multicast, what is reserved, and broadcast.
    ["224.0.0.0", 3]
  ],
  ipv6: [
    // Unspecified, loopback, and what holds an address of IPv4, but for the mapped ones, which count as that; then the
    // translated, 6to4 and Teredo ones.
    ["::", 96],
    ["64:ff9b::", 96],
    ["64:ff9b:1::", 48],
    ["2002::", 16],
    ["2001::", 32],
    ["fe80::", 10],
    ["ff00::", 8]
  ]
}

/** Everything else that is no address of the public internet (RFC 6890 and its registries). */
const notPublic: Ranges = {
  ipv4: [
    // RFC 1918, and behind a carrier's address translation (RFC 6598).
    ["10.0.0.0", 8],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
    ["100.64.0.0", 10],
    // Protocol assignments, documentation, the relays of 6to4, and benchmarks.
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
    ["192.88.99.0", 24],
    ["198.18.0.0", 15]
  ],
  ipv6: [
    // Translated, discarded, of protocols, of documentation, and of segment routing.
    ["::ffff:0:0:0", 96],
    ["100::", 64],
    ["100:0:0:1::", 64],
    ["2001::", 23],
    ["2001:db8::", 32],
    ["3fff::", 20],
    ["5f00::", 16],
    // Unique local, where the metadata services of some clouds are, and the site-local ones before them.
    ["fc00::", 7],
    ["fec0::", 10]
  ]
}

/** Ranges that somebody names, as an operator writes them: `192.0.2.0/24`; a lone address is a range of one. */
export const blockListOf = (given: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const range of given) {
    const [address = "", bits] = range.split("/")
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

const listOf = (ranges: ReadonlyArray<Ranges>): BlockList => {
  const list = new BlockList()
  for (const { ipv4, ipv6 } of ranges) {
    for (const [prefix, bits] of ipv4) list.addSubnet(prefix, bits, "ipv4")
    for (const [prefix, bits] of ipv6) list.addSubnet(prefix, bits, "ipv6")
  }
  return list
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4")

export const isIn = (list: BlockList, address: string): boolean => list.check(address, familyOf(address))

/** Where nothing of a tenant's or a cluster's is: never connected to when somebody else decides the address. */
export const neverConnected = listOf([never])

/** {@link neverConnected}, and private networks and everything else that is not the public internet. */
export const neverPublic = listOf([never, notPublic])

/** The host of an address that is written as an IP address, without brackets; undefined for a name. */
export const literalOf = ({ hostname }: URL): string | undefined => {
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  return isIP(host) === 0 ? undefined : host
}
