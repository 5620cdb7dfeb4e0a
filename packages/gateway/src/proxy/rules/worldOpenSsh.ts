import { Forbidden } from "@portico/contract/Failures"
import { flagOf } from "@portico/contract/QueryFlag"
import { Effect, Predicate } from "effect"
import { holdsEveryAddress } from "./addresses.ts"
import { intOf, isFalsy, isWrite, memberOf, objectsFor, uuid, word } from "../../acts/reading.ts"
import { type ConcernedCall, type PlatformCall, ruleAt } from "./Rule.ts"

const ssh = 22

/** A security group rule as the client requests it; absent, null and empty values mean no limit. */
interface RequestedRule {
  readonly protocol: unknown
  readonly from: unknown
  readonly to: unknown
}

/**
 * World-open SSH in a security group is refused, unless the query has `allow_ssh_from_anywhere=true` (contract,
 * Authentication 13). The rule covers ingress rules of Neutron, of its template for new groups, and of Nova's old
 * interface, if the source is every address, the protocol may be TCP and the ports include 22. It also covers a
 * prefix of length 0 in an address group, because rules may already refer to the group.
 *
 * The rule does not detect two prefixes of length 1, a port without port security, or an address pair of a member of
 * a remote group.
 */
export const worldOpenSsh = ruleAt({
  at: (call) => entryPointOf(call),
  reads: () => "body",
  check: Effect.fnUntraced(function* (entryPoint, call, body) {
    if (isOverridden(call.query)) return
    switch (entryPoint) {
      case "rules":
        return yield* checkRules(call, body)
      case "addresses":
        if (namesEveryAddress(body)) return yield* Forbidden.worldOpenSsh("address group")
        return
      case "computeRules":
        if (isOpenInCompute(body)) return yield* Forbidden.worldOpenSsh("rule")
    }
  })
})

type EntryPoint = "rules" | "addresses" | "computeRules"

/** Neutron also serves a collection behind the path prefix of any extension: `/qos/security-group-rules`. */
const entryPointOf = ({ method, segments, service }: ConcernedCall): EntryPoint | undefined => {
  if (service === "network" && isWrite(method))
    return networkEntryPoint(method, segments, 0) ?? networkEntryPoint(method, segments, 1)
  if (service === "compute" && isWrite(method)) {
    // A leading project id may remain.
    const old = "os-security-group-rules"
    return word(segments[0]) === old || word(segments[1]) === old ? "computeRules" : undefined
  }
}

const networkEntryPoint = (method: string, segments: ReadonlyArray<string>, at: 0 | 1): EntryPoint | undefined => {
  switch (word(segments[at])) {
    case "security-group-rules":
    case "default-security-group-rules":
      return "rules"
    case "address-groups":
      return method === "PUT" && segments[at + 2] === "remove_addresses" ? undefined : "addresses"
  }
}

const isOverridden = (query: URLSearchParams): boolean => {
  const values = query.getAll("allow_ssh_from_anywhere")
  return values.length > 0 && values.every((_) => flagOf(_) === true)
}

/**
 * Checks rules of Neutron. `protocol` is null, a name or a number; the remote is a prefix, a group, or an address
 * group.
 */
const checkRules = Effect.fnUntraced(function* (call: PlatformCall, body: unknown) {
  const groups = new Set<unknown>()
  for (const rule of ["security_group_rule", "default_security_group_rule"].flatMap((_) => objectsFor(body, _))) {
    // Neutron compares the direction exactly, and rejects any other word.
    if (rule["direction"] !== "ingress" || !isFalsy(rule["remote_group_id"])) continue
    if (!admitsSsh({ protocol: rule["protocol"], from: rule["port_range_min"], to: rule["port_range_max"] })) continue
    const { remote_address_group_id: group, remote_ip_prefix: prefix } = rule
    if (isFalsy(prefix) ? isFalsy(group) : holdsEveryAddress(prefix)) return yield* Forbidden.worldOpenSsh("rule")
    if (!isFalsy(group)) groups.add(group)
  }
  if (groups.size > maxGroups) return yield* Forbidden.worldOpenSsh("rule")
  for (const group of groups) {
    if (yield* groupHoldsEveryAddress(call, group)) return yield* Forbidden.worldOpenSsh("rule")
  }
})

/**
 * Maximum number of address groups that are read for one request. With more groups the request is refused, because
 * they are not known to be narrow.
 */
const maxGroups = 16

/**
 * Requires the canonical form of the id. The database might find another spelling, while the read would use another
 * path.
 */
const groupHoldsEveryAddress = Effect.fnUntraced(function* (call: PlatformCall, id: unknown) {
  if (typeof id !== "string" || !uuid.test(id)) return true
  const found = yield* call.read(["address-groups", id])
  // Neutron itself rejects an unknown group.
  if (found === undefined) return false
  const addresses = memberOf(found, "address_group", "addresses")
  return !Array.isArray(addresses) || addresses.some(holdsEveryAddress)
})

/** Actions have the addresses at the top level of the body, a group has them in its own object. */
const namesEveryAddress = (body: unknown): boolean =>
  [body, ...objectsFor(body, "address_group")].some((_) => holdsAny(memberOf(_, "addresses")))

/** A list, or any other iterable for Neutron: of an object, the names. */
const holdsAny = (addresses: unknown): boolean => {
  const named = Predicate.isReadonlyObject(addresses) ? Object.keys(addresses) : addresses
  return Array.isArray(named) && named.some((_) => typeof _ === "string" && holdsEveryAddress(_))
}

/** Nova supports ingress only, treats `-1` as no limit, and decodes percent signs in `cidr` before it calls Neutron. */
const isOpenInCompute = (body: unknown): boolean => {
  const rule = memberOf(body, "security_group_rule")
  if (!Predicate.isReadonlyObject(rule)) return false
  const { cidr, from_port: from, group_id: group, ip_protocol: protocol, to_port: to } = rule
  // Any value except null names a group, or is rejected.
  if (group !== undefined && group !== null) return false
  if (!admitsSsh({ protocol, from: unlimited(from), to: unlimited(to) })) return false
  return isFalsy(cidr) || holdsEveryAddress(typeof cidr === "string" ? unquoted(cidr) : cidr)
}

const unlimited = (port: unknown): unknown => (intOf(port) === -1 ? null : port)

const unquoted = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** A rule without a protocol has no ports and admits all traffic. */
const admitsSsh = ({ from, protocol, to }: RequestedRule): boolean => {
  if (protocol === undefined || protocol === null) return true
  return mayBeTcp(protocol) && mayHoldSsh(from, to)
}

/**
 * Protocol 0 (`hopopt`, `ip`) is a separate protocol to Neutron, but an iptables firewall treats it as all protocols.
 */
const everyProtocol: ReadonlySet<string> = new Set(["any", "tcp", "hopopt", "ip"])

const mayBeTcp = (protocol: unknown): boolean => {
  if (typeof protocol === "string" && everyProtocol.has(protocol.trim().toLowerCase())) return true
  const number = intOf(protocol)
  return number === 0 || number === 6 || Number.isNaN(number)
}

/** A missing or unknown end counts as open. The service rejects an end that is not a number. */
const mayHoldSsh = (from: unknown, to: unknown): boolean => {
  const low = endOf(from, Number.NEGATIVE_INFINITY)
  const high = endOf(to, Number.POSITIVE_INFINITY)
  return low !== undefined && high !== undefined && low <= ssh && ssh <= high
}

const endOf = (port: unknown, open: number): number | undefined => {
  if (port === undefined || port === null) return open
  const number = intOf(port)
  return Number.isNaN(number) ? open : number
}
