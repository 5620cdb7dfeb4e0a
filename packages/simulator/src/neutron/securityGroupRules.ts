import { Result } from "effect"
import { type JsonObject, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { repr } from "../python.ts"
import { refuse } from "./errors.ts"
import { parseCidr, toText } from "./ip.ts"
import { isFalsy, networkOf, pythonInt } from "./parsing.ts"
import type { RuleValues } from "./state.ts"

/** Protocol names and their numbers; `icmpv6` is the old name of `ipv6-icmp`. */
const numbers: Readonly<Record<string, number>> = {
  ah: 51,
  dccp: 33,
  egp: 8,
  esp: 50,
  gre: 47,
  hopopt: 0,
  icmp: 1,
  igmp: 2,
  ip: 0,
  ipip: 4,
  "ipv6-encap": 41,
  "ipv6-frag": 44,
  "ipv6-icmp": 58,
  icmpv6: 58,
  "ipv6-nonxt": 59,
  "ipv6-opts": 60,
  "ipv6-route": 43,
  ospf: 89,
  pgm: 113,
  rsvp: 46,
  sctp: 132,
  tcp: 6,
  udp: 17,
  udplite: 136,
  vrrp: 112
}
const withPorts = new Set([6, 17, 33, 132, 136])
const withTypes = new Set([1, 58])
const onlyIpv6 = new Set(["41", "43", "44", "58", "59", "60"])

const numberOf = (protocol: string): string => String(numbers[protocol] ?? pythonInt(protocol) ?? protocol)

const bad = (type: string, message: string): Step<never> => refuse(400, type, message)

const ethertypeOf = (value: unknown): Step<string> => {
  const known = ["IPv4", "IPv6"].find((_) => typeof value === "string" && _.toLowerCase() === value.toLowerCase())
  return known === undefined
    ? bad(
        "SecurityGroupRuleInvalidEtherType",
        `Security group rule for ethertype '${value}' not supported. Allowed values are ['IPv4', 'IPv6'].`
      )
    : Result.succeed(known)
}

/**
 * Null, absent and "any" mean every protocol; 0 is a protocol of its own. A number is anything that Python's
 * `int()` accepts, and keeps the client's spelling.
 */
const protocolOf = (value: unknown, ethertype: string): Step<string | null> => {
  if (value === undefined || value === null) return Result.succeed(null)
  const text = (typeof value === "number" ? String(value) : typeof value === "string" ? value : "").toLowerCase()
  if (text === "any") return Result.succeed(null)
  const number = pythonInt(text)
  const known = Object.hasOwn(numbers, text) || (number !== undefined && number >= 0 && number <= 255)
  if (!known) {
    return bad(
      "SecurityGroupRuleInvalidProtocol",
      `Security group rule protocol ${value} not supported. Only protocol values ` +
        `${repr([null, ...Object.keys(numbers)])} and integer representations [0 to 255] are supported.`
    )
  }
  if (ethertype === "IPv4") {
    return onlyIpv6.has(numberOf(text))
      ? bad("SecurityGroupEthertypeConflictWithProtocol", `Invalid ethertype ${ethertype} for protocol ${text}.`)
      : Result.succeed(text)
  }
  if (text === "icmp" || text === "icmpv6") return Result.succeed("ipv6-icmp")
  return Result.succeed(number === 1 ? "58" : text)
}

const portOf = (value: unknown): Step<number | null> => {
  if (value === undefined || value === null) return Result.succeed(null)
  const port = typeof value === "boolean" ? undefined : pythonInt(value)
  return port !== undefined && port >= 0 && port <= 65535
    ? Result.succeed(port)
    : bad("SecurityGroupInvalidPortValue", `Invalid value for port ${value}`)
}

type Ports = readonly [number | null, number | null]

const checkPorts = (protocol: string | null, [min, max]: Ports): Step<Ports> => {
  if (min === null && max === null) return Result.succeed([null, null])
  if (protocol === null) {
    const message = "Must also specify protocol if port range is given."
    return bad("SecurityGroupProtocolRequiredWithPorts", message)
  }
  const number = Number(numberOf(protocol))
  if (withTypes.has(number)) return checkIcmp([min, max])
  if (!withPorts.has(number)) {
    return bad(
      "SecurityGroupInvalidProtocolForPort",
      `Ports cannot be specified for protocol ${number}. Ports are only supported for TCP, UDP, UDPLITE, SCTP, DCCP.`
    )
  }
  if (min === 0 || max === 0) return bad("SecurityGroupInvalidPortValue", "Invalid value for port 0")
  if (min === null || max === null || min > max) {
    const message = "For TCP/UDP protocols, port_range_min must be <= port_range_max"
    return bad("SecurityGroupInvalidPortRange", message)
  }
  return Result.succeed(min === 1 && max === 65535 ? [null, null] : [min, max])
}

/** For ICMP the ports are type and code. */
const checkIcmp = ([type, code]: Ports): Step<Ports> => {
  if ((type ?? 0) > 255 || (code ?? 0) > 255) {
    const message = "Invalid value for ICMP type or code. It must be 0 to 255."
    return bad("SecurityGroupInvalidIcmpValue", message)
  }
  return type === null
    ? bad("SecurityGroupMissingIcmpType", `ICMP code (port-range-max) ${code} is provided but ICMP type is missing.`)
    : Result.succeed([type, code])
}

/**
 * A bare address gets its length, a mask becomes a length, and host bits stay. An empty or false value means no
 * prefix.
 */
const prefixOf = (value: unknown, ethertype: string): Step<string | null> => {
  if (isFalsy(value)) return Result.succeed(null)
  const network = typeof value === "string" ? networkOf(value) : undefined
  if (network === undefined) return bad("InvalidCIDR", `Invalid CIDR ${value} given as IP prefix.`)
  return ethertype === `IPv${network.version}`
    ? Result.succeed(network.text)
    : bad("SecurityGroupRuleParameterConflict", `Conflicting value ethertype ${ethertype} for CIDR ${value}`)
}

export const normalizedCidr = (prefix: string | null): string | null => {
  const range = prefix === null ? undefined : parseCidr(prefix)
  return range === undefined ? null : `${toText(range.version, range.first)}/${range.length}`
}

export const convertRule = (given: JsonObject): Step<RuleValues> =>
  Result.gen(function* () {
    const direction = stringAt(given, "direction")?.toLowerCase() ?? ""
    const ethertype = yield* ethertypeOf(given["ethertype"] ?? "IPv4")
    const protocol = yield* protocolOf(given["protocol"], ethertype)
    const ports = [yield* portOf(given["port_range_min"]), yield* portOf(given["port_range_max"])] as const
    const [port_range_min, port_range_max] = yield* checkPorts(protocol, ports)
    const remote_ip_prefix = yield* prefixOf(given["remote_ip_prefix"], ethertype)
    const remote_group_id = stringAt(given, "remote_group_id") ?? null
    const remote_address_group_id = stringAt(given, "remote_address_group_id") ?? null
    const remotes = [remote_ip_prefix, remote_group_id, remote_address_group_id]
    if (remotes.filter((_) => _ !== null).length > 1) {
      return yield* bad(
        "SecurityGroupMultipleRemoteEntites",
        "Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided."
      )
    }
    return {
      direction,
      ethertype,
      protocol,
      port_range_min,
      port_range_max,
      remote_ip_prefix,
      remote_group_id,
      remote_address_group_id
    }
  })

/**
 * Rules of one group with the same key are duplicates: all spellings of the whole internet have one key, and so
 * have those of a protocol.
 */
export const ruleKey = (rule: RuleValues): string =>
  JSON.stringify([
    rule.direction,
    rule.ethertype,
    rule.protocol === null ? null : numberOf(rule.protocol),
    rule.port_range_min,
    rule.port_range_max,
    rule.remote_ip_prefix === "0.0.0.0/0" || rule.remote_ip_prefix === "::/0" ? null : rule.remote_ip_prefix,
    rule.remote_group_id,
    rule.remote_address_group_id
  ])
