import { loads } from "./json.ts"
import { networkOf } from "./netaddr.ts"
import { int, isList, isObject, type PyObject, truthy, unquote } from "./python.ts"
import { type Arriving, type Verdict, withoutFormat } from "./verdict.ts"

/**
 * What a call to the compute service does behind the back of the network
 * service: rules of security groups by the old way, and a topology made up
 * together with a server, whose router has an external gateway.
 */
export const computeVerdict = (call: Arriving): Verdict => {
  const segments = withoutFormat(call.segments)
  if (call.method !== "POST" || segments.length !== 1) return "harmless"
  const [collection] = segments
  if (collection !== "os-security-group-rules" && collection !== "servers") return "harmless"
  const document = call.body === undefined ? undefined : loads(call.body)
  if (!isObject(document)) return "either"
  const version = microversion(call.headers)
  return collection === "servers" ? ofServer(document, version) : ofRule(document, version)
}

const ofServer = (document: PyObject, version: number | undefined): Verdict => {
  const server = document.get("server")
  if (!isObject(server)) return "either"
  const networks = server.get("networks")
  if (version === undefined) return "either"
  if (networks === "auto") return version >= 37 ? "dangerous" : "either"
  return networks === undefined || networks === "none" || (isList(networks) && networks.every(isObject))
    ? "harmless"
    : "either"
}

const ofRule = (document: PyObject, version: number | undefined): Verdict => {
  const rule = document.get("security_group_rule")
  if (!isObject(rule) || version === undefined || version > 35) return "either"
  const group = rule.get("group_id")
  const parent = rule.get("parent_group_id")
  if (typeof parent !== "string" || parent === "") return "either"
  const protocol = rule.get("ip_protocol")
  const first = int(rule.get("from_port"))
  const last = int(rule.get("to_port"))
  if (typeof protocol !== "string" || first === undefined || last === undefined || first > last) return "either"
  const name = protocol.toUpperCase()
  if (name === "ICMP") return "harmless"
  if ((name !== "TCP" && name !== "UDP") || first < 1n || last > 65535n) return "either"
  if (group !== undefined && group !== null) return typeof group === "string" ? "harmless" : "either"
  const open = opensToEverybody(rule)
  if (open === undefined) return "either"
  return open && name === "TCP" && first <= 22n && 22n <= last ? "dangerous" : "harmless"
}

/** Nothing is everybody; else the text is unescaped as a URL is, and needs its slash. Undefined where it is refused. */
const opensToEverybody = (rule: PyObject): boolean | undefined => {
  const cidr = rule.get("cidr")
  if (!truthy(cidr)) return true
  if (typeof cidr !== "string") return undefined
  const text = unquote(cidr)
  const network = /^[^/]*\/[^/]+$/.test(text) ? networkOf(text, "old") : undefined
  return network === undefined ? undefined : network.prefixLength === 0
}

/** The number behind "2."; without a header 2.1, and undefined where the request is refused. */
export const microversion = (headers: Arriving["headers"]): number | undefined => {
  const named = headers["openstack-api-version"]
    ?.split(",")
    .map((_) => /^\s*compute\s+(\S+)\s*$/.exec(_)?.[1])
    .find((_) => _ !== undefined)
  const text = named ?? headers["x-openstack-nova-api-version"]?.trim()
  if (text === undefined) return 1
  if (text === "latest") return 999
  const minor = /^2\.([1-9][0-9]*)$/.exec(text)?.[1]
  return minor === undefined ? undefined : Number(minor)
}
