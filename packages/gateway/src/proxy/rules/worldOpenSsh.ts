import { Forbidden } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { holdsEveryAddress } from "./addresses.ts"
import { intOf, isFalsy, isWrite, objectsFor, word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

const ssh = 22

/** A rule of a security group as its service is asked for it; absent, null and empty mean no limit. */
interface Opening {
  readonly protocol: unknown
  readonly from: unknown
  readonly to: unknown
}

/**
 * World-open SSH in a security group is refused, unless the query says
 * `allow_ssh_from_anywhere=true` (contract, Authentication 13): an ingress rule
 * of Neutron, of its template for new groups, or of Nova's old interface, whose
 * source is every address, whose protocol may be TCP and whose ports hold 22;
 * and a prefix of length 0 in an address group, which rules may already refer
 * to.
 *
 * Two prefixes of length 1 are not seen as the whole world, nor is a port
 * without port security, nor an address pair of a member of a remote group.
 */
export const worldOpenSsh: Rule = {
  concerns: (call) => (doorOf(call) === undefined ? "nothing" : "body"),
  check: Effect.fnUntraced(function* (call, body) {
    if (isOverridden(call.query)) return
    switch (doorOf(call)) {
      case "rules":
        return yield* checkRules(call, body)
      case "addresses":
        if (namesEveryAddress(body)) return yield* Forbidden.worldOpenSsh("address group")
        return
      case "computeRules":
        if (isOpenInCompute(body)) return yield* Forbidden.worldOpenSsh("rule")
    }
  })
}

type Door = "rules" | "addresses" | "computeRules"

/** A collection of Neutron also answers behind the path prefix of any extension: `/qos/security-group-rules`. */
const doorOf = ({ method, segments, service }: PlatformCall): Door | undefined => {
  if (service === "network" && isWrite(method))
    return networkDoor(method, segments, 0) ?? networkDoor(method, segments, 1)
  if (service === "compute" && isWrite(method)) {
    // A project id may be left in front.
    const old = "os-security-group-rules"
    return word(segments[0]) === old || word(segments[1]) === old ? "computeRules" : undefined
  }
}

const networkDoor = (method: string, segments: ReadonlyArray<string>, at: 0 | 1): Door | undefined => {
  switch (word(segments[at])) {
    case "security-group-rules":
    case "default-security-group-rules":
      return "rules"
    case "address-groups":
      return method === "PUT" && segments[at + 2] === "remove_addresses" ? undefined : "addresses"
  }
}

const isOverridden = (query: URLSearchParams): boolean => {
  const said = query.getAll("allow_ssh_from_anywhere")
  return said.length > 0 && said.every((_) => _ === "true")
}

/** A rule of Neutron: `protocol` is null, a name or a number; the remote is a prefix, a group, or an address group. */
const checkRules = Effect.fnUntraced(function* (call: PlatformCall, body: unknown) {
  const groups = new Set<unknown>()
  for (const rule of ["security_group_rule", "default_security_group_rule"].flatMap((_) => objectsFor(body, _))) {
    // Neutron compares the direction as it is, and refuses any other word.
    if (rule["direction"] !== "ingress" || !isFalsy(rule["remote_group_id"])) continue
    if (!admitsSsh({ protocol: rule["protocol"], from: rule["port_range_min"], to: rule["port_range_max"] })) continue
    const { remote_address_group_id: group, remote_ip_prefix: prefix } = rule
    if (isFalsy(prefix) ? isFalsy(group) : holdsEveryAddress(prefix)) return yield* Forbidden.worldOpenSsh("rule")
    if (!isFalsy(group)) groups.add(group)
  }
  if (groups.size > groupsRead) return yield* Forbidden.worldOpenSsh("rule")
  for (const group of groups) {
    if (yield* groupHoldsEveryAddress(call, group)) return yield* Forbidden.worldOpenSsh("rule")
  }
})

/** One request of a client makes no more reads than this; a group beyond it is not known to be narrow. */
const groupsRead = 16

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An id that is spelled in another way might still be found by the database, and be another path to the read. */
const groupHoldsEveryAddress = Effect.fnUntraced(function* (call: PlatformCall, id: unknown) {
  if (typeof id !== "string" || !uuid.test(id)) return true
  const found = yield* call.read(["address-groups", id])
  // Neutron answers for what is not there.
  if (found === undefined) return false
  const group = Predicate.isReadonlyObject(found) ? found["address_group"] : undefined
  const addresses = Predicate.isReadonlyObject(group) ? group["addresses"] : undefined
  return !Array.isArray(addresses) || addresses.some(holdsEveryAddress)
})

/** The actions have the addresses at the top of the body, a group has them among its own. */
const namesEveryAddress = (body: unknown): boolean =>
  [body, ...objectsFor(body, "address_group")].some((_) => Predicate.isReadonlyObject(_) && holdsAny(_["addresses"]))

/** A list, or anything else that Neutron can go through: of an object, the names. */
const holdsAny = (addresses: unknown): boolean => {
  const named = Predicate.isReadonlyObject(addresses) ? Object.keys(addresses) : addresses
  return Array.isArray(named) && named.some((_) => typeof _ === "string" && holdsEveryAddress(_))
}

/** Nova knows ingress alone, reads `-1` as no limit, and decodes percent signs in `cidr` before it asks Neutron. */
const isOpenInCompute = (body: unknown): boolean => {
  const rule = Predicate.isReadonlyObject(body) ? body["security_group_rule"] : undefined
  if (!Predicate.isReadonlyObject(rule)) return false
  const { cidr, from_port: from, group_id: group, ip_protocol: protocol, to_port: to } = rule
  // Any other value than null names a group, or is refused.
  if (group !== undefined && group !== null) return false
  if (!admitsSsh({ protocol, from: unlimited(from), to: unlimited(to) })) return false
  return isFalsy(cidr) || holdsEveryAddress(typeof cidr === "string" ? unquoted(cidr) : cidr)
}

const unlimited = (port: unknown): unknown => (intOf(port) === -1 ? null : port)

const unquoted = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Without a protocol there are no ports: the rule is for everything. */
const admitsSsh = ({ from, protocol, to }: Opening): boolean => {
  if (protocol === undefined || protocol === null) return true
  return mayBeTcp(protocol) && mayHoldSsh(from, to)
}

/**
 * Protocol 0 (`hopopt`, `ip`) is one of its own to Neutron, but a firewall made
 * of iptables takes it for all of them.
 */
const everyProtocol: ReadonlySet<string> = new Set(["any", "tcp", "hopopt", "ip"])

const mayBeTcp = (protocol: unknown): boolean => {
  if (typeof protocol === "string" && everyProtocol.has(protocol.trim().toLowerCase())) return true
  const number = intOf(protocol)
  return number === 0 || number === 6 || Number.isNaN(number)
}

/** An end that is missing or not known is an open one; one that is no number at all is refused by the service. */
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
