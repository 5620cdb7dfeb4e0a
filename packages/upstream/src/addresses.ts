import { addressOf } from "@portico/contract/Networks"
import { Config, Result, Schema } from "effect"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"

type Networks = ReadonlyArray<IpNetwork.IpNetwork>

/** All address ranges outside the public internet, by kind (RFC 6890 and its registries). */
const special = {
  /** This machine. */
  loopback: ["127.0.0.0/8", "::1/128"],
  unspecified: ["0.0.0.0/8", "::/128"],
  /** Cloud metadata services give secrets there to any caller. */
  linkLocal: ["169.254.0.0/16", "fe80::/10"],
  /** Multicast, reserved, and broadcast. */
  multicast: ["224.0.0.0/3", "ff00::/8"],
  /**
   * IPv6 addresses that embed an IPv4 address: compatible, translated (NAT64),
   * Teredo and 6to4. IPv4-mapped addresses are not among them, because they
   * count as the IPv4 address.
   */
  embedding: ["::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16"],
  /** RFC 1918, carrier-grade NAT (RFC 6598), and unique local. */
  private: ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
  documentation: ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  /** Protocol assignments, benchmarks, 6to4 relays, discard, segment routing, and site-local. */
  reserved: [
    "192.0.0.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "::ffff:0:0:0/96",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "5f00::/16",
    "fec0::/10"
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** The ranges of some kinds. */
export const specialNetworks = (...kinds: ReadonlyArray<keyof typeof special>): Networks =>
  kinds.flatMap((kind) => special[kind].map(IpNetwork.fromStringUnsafe))

/**
 * Ranges without any tenant's or cluster's host. The gateway never connects to
 * them at an address that a tenant or an operator chose.
 */
export const neverConnected = specialNetworks("loopback", "unspecified", "linkLocal", "multicast", "embedding")

/** {@link neverConnected}, private networks, and everything else outside the public internet. */
export const neverPublic = [...neverConnected, ...specialNetworks("private", "documentation", "reserved")]

/** The parts of a setting with commas, without blanks around them and without empty ones. */
export const split = (text: string): ReadonlyArray<string> =>
  text.split(",").flatMap((_) => (_.trim() === "" ? [] : [_.trim()]))

/**
 * Parses a network as an operator writes it. A single address is a network, and
 * bits behind the prefix length are ignored. An IPv4-mapped network counts as
 * the IPv4 network.
 */
const rangeOf = (text: string): IpNetwork.IpNetwork | undefined => {
  const written = Result.getOrUndefined(IpInterface.fromString(text))
  if (written === undefined) return undefined
  const address = NetAddress.toCanonical(written.address)
  const length = written.prefixLength - (NetAddress.width(written.address) - NetAddress.width(address))
  return length < 0 ? IpNetwork.fromInterface(written) : IpNetwork.fromAddressUnsafe(address, length)
}

/** `192.0.2.0/24, 2001:db8::/32`, or single addresses; it may be empty. */
export const Ranges = Schema.String.check(
  Schema.makeFilter(
    (text: string) => text === "" || (split(text).length > 0 && split(text).every((_) => rangeOf(_) !== undefined)),
    { expected: "networks such as 192.0.2.0/24, separated by commas" }
  )
)

/** {@link Ranges} without bits behind the length: with `10.1.2.3/8` an operator would open more than intended. */
export const ExactRanges = Schema.String.check(
  Schema.makeFilter((text: string) => split(text).every((_) => Result.isSuccess(IpNetwork.fromString(_))), {
    expected: "networks in CIDR notation, separated by commas"
  })
)

const mapped = IpNetwork.fromStringUnsafe("::ffff:0:0/96")
const allOfIpv4 = IpNetwork.fromStringUnsafe("0.0.0.0/0")

/** A network of IPv6 that holds all mapped addresses is all of IPv4, too. */
const withMapped = (range: IpNetwork.IpNetwork): Networks =>
  IpNetwork.containsNetwork(range, mapped) ? [range, allOfIpv4] : [range]

const listed = (text: string): Networks => split(text).flatMap((_) => rangeOf(_) ?? [])

/** The networks that a setting lists, of {@link Ranges}. */
export const rangesIn = (setting: string): Config.Config<Networks> =>
  Config.schema(Ranges, setting).pipe(
    Config.withDefault(""),
    Config.map((text) => listed(text).flatMap(withMapped))
  )

/** The networks that a setting lists, of {@link ExactRanges}. */
export const exactRangesIn = (setting: string, usual = ""): Config.Config<Networks> =>
  Config.schema(ExactRanges, setting).pipe(Config.withDefault(usual), Config.map(listed))

/** The host of a URL when it is an IP address, without brackets; undefined for a name. */
export const literalOf = ({ hostname }: URL): string | undefined => {
  const host = withoutBrackets(hostname)
  return addressOf(host) === undefined ? undefined : host
}

export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")
