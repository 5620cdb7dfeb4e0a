import { networkOf } from "./netaddr.ts"
import { int, type PyObject, type PyValue, truthy } from "./python.ts"
import { type Verdict, worst } from "./verdict.ts"

/** Two generations of the network service and its libraries, where they read a rule differently. */
export type Release = "old" | "new"
const releases: ReadonlyArray<Release> = ["old", "new"]

/** A rule as it would be stored. */
export interface StoredRule {
  readonly direction: "ingress" | "egress"
  readonly ethertype: "IPv4" | "IPv6"
  /** A number where the name has one: 6 is TCP. */
  readonly protocol: "any" | number
  readonly ports: "all" | readonly [first: bigint, last: bigint]
  /** A prefix length, a group's id, or the id of an address group; nothing is everybody. */
  readonly remote:
    | { readonly prefixLength: number }
    | { readonly group: PyValue }
    | { readonly addressGroup: PyValue }
    | "everybody"
}

/** What the tenant's address groups hold, by id; undefined for one that is not there. */
export type AddressGroups = (id: PyValue) => ReadonlyArray<string> | undefined

/** Does this element of a request, once stored, let the whole internet in over SSH? */
export const opensSsh = (rule: PyObject, addressGroups: AddressGroups): Verdict => {
  const readings = releases.map((release): Verdict | "refused" => {
    const stored = storedRule(rule, release)
    return stored === undefined ? "refused" : ofStored(stored, addressGroups)
  })
  if (readings.includes("dangerous")) return "dangerous"
  return readings.every((_) => _ === "harmless") ? "harmless" : "either"
}

const ofStored = (rule: StoredRule, addressGroups: AddressGroups): Verdict => {
  if (rule.direction === "egress") return "harmless"
  if (rule.protocol !== "any" && rule.protocol !== 6) return "harmless"
  if (rule.ports !== "all" && !(rule.ports[0] <= 22n && 22n <= rule.ports[1])) return "harmless"
  if (rule.remote === "everybody") return "dangerous"
  if ("group" in rule.remote) return "harmless"
  if ("prefixLength" in rule.remote) return rule.remote.prefixLength === 0 ? "dangerous" : "harmless"
  return ofAddresses(addressGroups(rule.remote.addressGroup), rule.ethertype)
}

/** Large blocks that are everybody only together are nobody's decision yet. */
const ofAddresses = (addresses: ReadonlyArray<string> | undefined, ethertype: string): Verdict => {
  if (addresses === undefined) return "either"
  const networks = addresses.map((_) => networkOf(_, "old"))
  const everybody = networks.filter((_) => _?.prefixLength === 0)
  if (everybody.some((_) => `IPv${_?.version}` === ethertype)) return "dangerous"
  if (everybody.length > 0) return "either"
  return worst(networks.map((_) => (_ === undefined || _.prefixLength < 8 ? "either" : "harmless")))
}

/** What would be stored; undefined where the service refuses the rule. */
export const storedRule = (rule: PyObject, release: Release): StoredRule | undefined => {
  if (![...rule.keys()].every((_) => attributes.has(_))) return undefined
  const direction = rule.get("direction")
  const ethertype = ethertypeOf(rule.get("ethertype"), rule.has("ethertype"))
  const protocol = protocolOf(rule.get("protocol"))
  const ports = portsOf(rule, protocol, release)
  const remote = remoteOf(rule, ethertype, release)
  if (direction !== "ingress" && direction !== "egress") return undefined
  if (!truthy(rule.get("security_group_id")) || ethertype === undefined || protocol === undefined) return undefined
  return ports === undefined || remote === undefined
    ? undefined
    : { direction, ethertype, protocol: protocol.number, ports, remote }
}

const attributes: ReadonlySet<string> = new Set([
  "security_group_id",
  "direction",
  "ethertype",
  "protocol",
  "port_range_min",
  "port_range_max",
  "remote_ip_prefix",
  "remote_group_id",
  "remote_address_group_id",
  "description",
  "project_id",
  "tenant_id"
])

const ethertypeOf = (value: PyValue | undefined, given: boolean): "IPv4" | "IPv6" | undefined => {
  if (!given) return "IPv4"
  if (typeof value !== "string") return undefined
  const lower = value.toLowerCase()
  return lower === "ipv4" ? "IPv4" : lower === "ipv6" ? "IPv6" : undefined
}

const numbers: ReadonlyMap<string, "any" | number> = new Map<string, "any" | number>([
  ["any", "any"],
  ["ah", 51],
  ["dccp", 33],
  ["egp", 8],
  ["esp", 50],
  ["gre", 47],
  ["icmp", 1],
  ["icmpv6", 58],
  ["igmp", 2],
  ["ipip", 4],
  ["ipv6-encap", 41],
  ["ipv6-frag", 44],
  ["ipv6-icmp", 58],
  ["ipv6-nonxt", 59],
  ["ipv6-opts", 60],
  ["ipv6-route", 43],
  ["ospf", 89],
  ["pgm", 113],
  ["rsvp", 46],
  ["sctp", 132],
  ["tcp", 6],
  ["udp", 17],
  ["udplite", 136],
  ["vrrp", 112]
])
const withPorts: ReadonlySet<"any" | number> = new Set([6, 17, 33, 132, 136])

interface Protocol {
  readonly number: "any" | number
  /** Null and absent: any protocol, which takes no ports. */
  readonly named: boolean
}

const protocolOf = (value: PyValue | undefined): Protocol | undefined => {
  if (value === undefined || value === null) return { number: "any", named: false }
  const number = int(value)
  if (number !== undefined) {
    return number >= 0n && number <= 255n ? { number: Number(number), named: true } : undefined
  }
  const known = typeof value === "string" ? numbers.get(value.toLowerCase()) : undefined
  return known === undefined ? undefined : { number: known, named: true }
}

const portsOf = (rule: PyObject, protocol: Protocol | undefined, release: Release): StoredRule["ports"] | undefined => {
  const first = portOf(rule.get("port_range_min"))
  const last = portOf(rule.get("port_range_max"))
  if (first === undefined || last === undefined) return undefined
  if (first === null && last === null) return "all"
  if (protocol === undefined || !protocol.named) return undefined
  // Of ICMP they are type and code; a newer release refuses them with everything else.
  if (protocol.number === 1 || protocol.number === 58) return first === null || first > 255n ? undefined : [0n, 0n]
  if (!withPorts.has(protocol.number) && release === "new") return undefined
  if (first === null || last === null || first > last) return undefined
  if ((first === 0n || last === 0n) && release === "new") return undefined
  return [first, last]
}

const portOf = (value: PyValue | undefined): bigint | null | undefined => {
  if (value === undefined || value === null) return null
  const port = int(value)
  return port === undefined || port < 0n || port > 65535n ? undefined : port
}

const remoteOf = (
  rule: PyObject,
  ethertype: "IPv4" | "IPv6" | undefined,
  release: Release
): StoredRule["remote"] | undefined => {
  const prefix = rule.get("remote_ip_prefix")
  const group = rule.get("remote_group_id")
  const addressGroup = rule.get("remote_address_group_id")
  const given = [prefix, group, addressGroup].filter(truthy)
  if (given.length > 1 || [group, addressGroup].some((_) => truthy(_) && typeof _ !== "string")) return undefined
  if (group !== undefined && truthy(group)) return { group }
  if (addressGroup !== undefined && truthy(addressGroup)) return { addressGroup }
  // Whatever is empty counts as not given: "", false, 0, [] and {}.
  if (!truthy(prefix)) return "everybody"
  const network = typeof prefix === "string" ? networkOf(prefix, release) : undefined
  if (network === undefined || `IPv${network.version}` !== ethertype) return undefined
  return { prefixLength: network.prefixLength }
}
