import { type JsonObject, objectsAt, stringAt } from "../Json.ts"
import { isFalsy, networkOf, pythonInt } from "../neutron/parsing.ts"
import { type Answer, empty, isAnswer, json, type Routes } from "../Wire.ts"
import { type RequestHandler, type Request, proxyWrite } from "./request.ts"
import { badRequest, fault } from "./fault.ts"
import { callNeutron, isSuccess, relayError } from "./peers.ts"
import { bodyOf, groupFor, portsOf, rulesOf, showRule } from "./securityGroups.ts"

/** A rule in Nova's form, before it goes to Neutron. */
interface Wanted {
  readonly group_id?: string
  readonly cidr?: string
  readonly protocol?: string
  readonly from_port?: number
  readonly to_port?: number
}

const invalidCidr = (cidr: unknown) => badRequest(`${String(cidr)} is not a valid IP network.`)

/** An empty CIDR is 0.0.0.0/0. The text may be percent-encoded, and must contain a slash after decoding. */
const cidrOf = (value: unknown): string | Answer => {
  if (isFalsy(value)) return "0.0.0.0/0"
  if (typeof value !== "string") return invalidCidr(value)
  const text = value.replaceAll(/%([0-7][0-9a-fA-F])/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16))
  )
  const network = networkOf(text)
  if (network === undefined || !/\/./.test(text)) return invalidCidr(value)
  const [host, length] = network.text.split("/")
  // Refuses host bits with a prefix length of 0; Neutron accepts them.
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

/** Only a rule with a source group may omit the ports: it then covers all ports. */
const withPorts = (given: JsonObject, source: Wanted): Wanted | Answer => {
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

const sourceOf = (request: Request, given: JsonObject): Wanted | Answer => {
  const { cidr: asCidr, group_id } = given
  if (group_id !== undefined && group_id !== null) {
    const group = groupFor(request, group_id)
    return isAnswer(group) ? group : { group_id: stringAt(group, "id") ?? "" }
  }
  const cidr = cidrOf(asCidr)
  return typeof cidr === "string" ? { cidr } : cidr
}

const isSame = (rule: JsonObject, wanted: Wanted): boolean => {
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

/** -1 means no port. */
const portAt = (port: number | undefined): number | undefined => (port === -1 ? undefined : port)

const create: RequestHandler = (request) => {
  const given = bodyOf(request, "security_group_rule")
  if (isAnswer(given)) return given
  const parent = groupFor(request, given["parent_group_id"])
  if (isAnswer(parent)) return parent
  const source = sourceOf(request, given)
  if (isAnswer(source)) return source
  const wanted = withPorts(given, source)
  if (isAnswer(wanted)) return wanted
  if (rulesOf(parent).some((_) => isSame(_, wanted))) {
    return badRequest(`This rule already exists in group ${stringAt(parent, "id")}`)
  }
  const response = callNeutron(request, "POST", "/v2.0/security-group-rules", {
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
  if (!isSuccess(response)) return relayError(response, { 409: 403 })
  const [made = {}] = objectsAt(response.json, "security_group_rules")
  return json(200, { security_group_rule: showRule(request, made) })
}

const remove: RequestHandler = (request) => {
  const response = callNeutron(request, "DELETE", `/v2.0/security-group-rules/${request.params["id"] ?? ""}`)
  return isSuccess(response) ? empty(202) : relayError(response)
}

/** The deprecated proxy of Neutron's rules: a gateway that restricts rules must check this path too. */
export const securityRuleRoutes: Routes = {
  "POST /v2.1/os-security-group-rules": proxyWrite("os-security-groups:rule:create", create),
  "DELETE /v2.1/os-security-group-rules/:id": proxyWrite("os-security-groups:rule:delete", remove)
}
