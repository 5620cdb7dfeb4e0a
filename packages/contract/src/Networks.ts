import { Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/**
 * Parses an address without a zone, in any notation. An IPv4-mapped IPv6
 * address becomes the IPv4 address. Undefined for anything else.
 */
export const addressOf = (text: string): NetAddress.IpAddress | undefined =>
  Result.getOrUndefined(Result.map(NetAddress.ipFromString(text), (_) => NetAddress.toCanonical(_)))

/**
 * Parses a network in canonical notation (RFC 5952 for IPv6), without bits
 * after its prefix length. Undefined for anything else.
 */
export const networkOf = (text: string): IpNetwork.IpNetwork | undefined => {
  // Parsing anything else makes an error, which takes long for a list of thousands.
  if (!/^[\da-f.:]{2,39}\/\d{1,3}$/.test(text)) return undefined
  const network = Result.getOrUndefined(IpNetwork.fromString(text))
  if (network === undefined || IpNetwork.format(network) !== text) return undefined
  // A network of IPv4-mapped addresses has to be written as an IPv4 network.
  return NetAddress.toCanonical(network.address) === network.address ? network : undefined
}

/** The network with only this address. */
export const hostNetwork = (address: NetAddress.IpAddress): IpNetwork.IpNetwork =>
  IpNetwork.makeUnsafe(address, NetAddress.width(address))

/** Whether one of the networks contains the address, or the whole of the other network. */
export const contains = (
  networks: ReadonlyArray<IpNetwork.IpNetwork>,
  other: NetAddress.IpAddress | IpNetwork.IpNetwork
): boolean => {
  const network = IpNetwork.isIpNetwork(other) ? other : hostNetwork(other)
  return networks.some((_) => IpNetwork.containsNetwork(_, network))
}

/** The only two networks of that length in their shortest spelling. */
const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0/0", "::/0"])

const everywhere = "Leave networks out to allow every address"

export const Networks = Schema.Array(
  Schema.String.annotate({
    description:
      "An IPv4 or IPv6 network in CIDR notation, in its shortest spelling and without bits after its prefix length."
  })
    .check(
      Schema.makeFilter((text: string) => networkOf(text) !== undefined, {
        expected: "a network in its shortest spelling, such as 203.0.113.0/24 or 2001:db8::/32"
      }),
      Schema.makeFilter((text: string) => !everyAddress.has(text), {
        expected: `narrower than every address. ${everywhere}`
      })
    )
    .annotate({ examples: ["203.0.113.0/24"] })
)
  .annotate({
    description:
      "The networks that a credential may be used from: 1 to 50, each once, none of them the whole address space."
  })
  .check(
    Schema.isMinLength(1, { expected: `a list of 1 to 50 networks. ${everywhere}` }),
    Schema.isMaxLength(50, { expected: "a list of 1 to 50 networks" }),
    Schema.makeFilter((all: ReadonlyArray<string>) => new Set(all).size === all.length, {
      expected: "a list of networks that names each once"
    })
  )
  .annotate({ identifier: "Networks" })
