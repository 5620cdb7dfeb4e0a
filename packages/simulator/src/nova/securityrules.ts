import { objectAt, stringAt } from "../Json.ts"
import { isFalsy, networkOf, pythonInt } from "../neutron/reading.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import type { Answering, Asked } from "./asked.ts"
import { badRequest, fault } from "./fault.ts"
import { isAnswer } from "./paging.ts"
import { askNeutron, isGood, passedOn } from "./peers.ts"
import { proxyWrite } from "./proxied.ts"
import { bodyOf, groupFor, portsOf, rulesOf, showRule } from "./securitygroups.ts"

type Given = ReturnType<typeof objectAt>

/** A rule as Nova holds it on its way to Neutron. */
interface Wanted {
  readonly group_id?: string
  readonly cidr?: string
  readonly protocol?: string
  readonly from_port?: number
  readonly to_port?: number
}

const invalidCidr = (cidr: unknown) => badRequest(`${String(cidr)} is not a valid IP network.`)

/** Nothing is everything. The text may be percent-encoded, and must have a slash once it is decoded. */
const cidrOf = (value: unknown): string | Answer => {
  if (isFalsy(value)) return "0.0.0.0/0"
  if (typeof value !== "string") return invalidCidr(value)
  const text = value.replaceAll(/%([0-7][0-9a-fA-F])/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16))
  )
  const network = networkOf(text)
  if (network === undefined || !/\/./.test(text)) return invalidCidr(value)
  const [host, length] = network.text.split("/")
  // Host bits under a length of 0 are refused here; Neutron takes them.
  if (length === "0" && host !== "0.0.0.0" && host !== "::") return badRequest(`Bad prefix for network in cidr ${text}`)
  return text
}

const portRange = (protocol: string, from: number, to: number): Answer | undefined => {
  const refuse = (why: string) => badRequest(`Invalid port range ${from}:${to}. ${why}`)
  if (protocol === "ICMP") {
    return from < -1 || from > 255 || to < -1 || to > 255 ? refuse("For ICMP, the type:code must be valid") : undefined
  }
  if (from > to) return refuse("Former value cannot be greater than the later")
  return from < 1 || to > 65535 ? refuse(`Valid ${protocol} ports should be between 1-65535`) : undefined
}

const protocols = ["TCP", "UDP", "ICMP"]

/** Ports may be left out for a source group only: they are then all ports. */
const withPorts = (given: Given, source: Wanted): Wanted | Answer => {
  const { from_port: asFrom, ip_protocol: asProtocol, to_port: asTo } = given
  const bare = source.group_id !== undefined && (asFrom ?? null) === null && (asTo ?? null) === null
  if (bare && !isFalsy(asProtocol) && typeof asProtocol !== "string") return fault(500, "Unexpected API Error.")
  const upper = isFalsy(asProtocol) ? "" : String(asProtocol).toUpperCase()
  const whole = upper === "ICMP" ? [-1, -1] : upper === "TCP" || upper === "UDP" ? [1, 65535] : [undefined, undefined]
  const [from, to] = bare ? whole : [asFrom ?? undefined, asTo ?? undefined]
  if (upper === "" || from === undefined || to === undefined) {
    return source.cidr === undefined ? source : badRequest("Not enough parameters to build a valid rule.")
  }
  const [from_port, to_port] = [pythonInt(from), pythonInt(to)]
  if (from_port === undefined || to_port === undefined) {
    const what =
      upper === "ICMP" ? "Type and Code must be integers for ICMP protocol type" : "To and From ports must be integers"
    return badRequest(`Invalid input received: ${what}`)
  }
  if (!protocols.includes(upper)) return badRequest(`Invalid IP protocol ${String(asProtocol)}.`)
  return portRange(upper, from_port, to_port) ?? { ...source, protocol: String(asProtocol), from_port, to_port }
}

const sourceOf = (asked: Asked, given: Given): Wanted | Answer => {
  const { cidr: asCidr, group_id } = given
  if (group_id !== undefined && group_id !== null) {
    const group = groupFor(asked, group_id)
    return isAnswer(group) ? group : { group_id: stringAt(group, "id") ?? "" }
  }
  const cidr = cidrOf(asCidr)
  return typeof cidr === "string" ? { cidr } : cidr
}

const isSame = (rule: Given, wanted: Wanted): boolean => {
  const [from, to] = portsOf(rule)
  const cidr = rule["remote_ip_prefix"] ?? "0.0.0.0/0"
  return (
    (rule["remote_group_id"] ?? undefined) === wanted.group_id &&
    cidr === wanted.cidr &&
    (rule["protocol"] ?? undefined) === wanted.protocol &&
    (from ?? undefined) === wanted.from_port &&
    (to ?? undefined) === wanted.to_port
  )
}

/** -1 stands for no port. */
const portAt = (port: number | undefined): number | undefined => (port === -1 ? undefined : port)

const create: Answering = (asked) => {
  const given = bodyOf(asked, "security_group_rule")
  if (isAnswer(given)) return given
  const parent = groupFor(asked, given["parent_group_id"])
  if (isAnswer(parent)) return parent
  const source = sourceOf(asked, given)
  if (isAnswer(source)) return source
  const wanted = withPorts(given, source)
  if (isAnswer(wanted)) return wanted
  if (rulesOf(parent).some((_) => isSame(_, wanted))) {
    return badRequest(`This rule already exists in group ${stringAt(parent, "id")}`)
  }
  const told = askNeutron(asked, "POST", "/v2.0/security-group-rules", {
    security_group_rules: [
      {
        security_group_id: parent["id"],
        direction: "ingress",
        ethertype: wanted.cidr?.includes(":") === true ? "IPv6" : "IPv4",
        protocol: wanted.protocol ?? null,
        remote_ip_prefix: wanted.cidr ?? null,
        remote_group_id: wanted.group_id ?? null,
        port_range_min: portAt(wanted.from_port) ?? null,
        port_range_max: portAt(wanted.to_port) ?? null
      }
    ]
  })
  if (!isGood(told)) return passedOn(told, { 409: 403 })
  const made = objectAt(told.json)["security_group_rules"]
  return json(200, { security_group_rule: showRule(asked, objectAt(Array.isArray(made) ? made[0] : undefined)) })
}

const remove: Answering = (asked) => {
  const told = askNeutron(asked, "DELETE", `/v2.0/security-group-rules/${asked.params["id"] ?? ""}`)
  return isGood(told) ? empty(202) : passedOn(told)
}

/** An older way to Neutron's rules: what is refused there can be made here, unless somebody watches both. */
export const securityRuleRoutes: Routes = {
  "POST /v2.1/os-security-group-rules": proxyWrite("os-security-groups:rule:create", create),
  "DELETE /v2.1/os-security-group-rules/:id": proxyWrite("os-security-groups:rule:delete", remove)
}
