import { loads } from "./json.ts"
import { isList, isObject, type PyObject, type PyValue, truthy } from "./python.ts"
import { type AddressGroups, opensSsh } from "./securityGroupRules.ts"
import { type Arriving, type Verdict, withoutFormat, worst } from "./verdict.ts"

/**
 * What a call to the network service does: does it open SSH to the world,
 * touch the external gateway of a router, or make a port that belongs to the
 * network itself?
 */
export const networkVerdict = (call: Arriving, addressGroups: AddressGroups): Verdict => {
  const [collection = "", id, action, more] = fromCollection(call.segments)
  if (collection === "auto-allocated-topology") return id === undefined || action !== undefined ? "either" : "dangerous"
  if (collection === "routers" && id !== undefined && action !== undefined && gatewayActions.has(action)) {
    return call.method === "PUT" && more === undefined ? "dangerous" : "either"
  }
  const creates = call.method === "POST" && id === undefined
  const updates = call.method === "PUT" && id !== undefined && action === undefined
  if (!creates && !updates) return "harmless"
  const judge = judges(addressGroups).get(collection)
  if (judge === undefined || (updates && collection === "security-group-rules")) return "harmless"
  return ofBody(call.body, judge, updates)
}

const gatewayActions: ReadonlySet<string> = new Set([
  "add_external_gateways",
  "update_external_gateways",
  "remove_external_gateways"
])

/** Services below the network service have a word of their own in front, behind which every collection is found. */
const prefixes: ReadonlySet<string> = new Set(["fwaas", "lbaas", "log", "logging", "metering", "qos", "sfc", "vpn"])

/**
 * A collection is looked up with hyphens and with low lines; before that a
 * slash and a format are taken off the end.
 */
const fromCollection = (spelled: ReadonlyArray<string>): ReadonlyArray<string> => {
  const segments = withoutFormat(spelled)
  const [first = "", ...rest] = segments
  const [collection = "", ...behind] = prefixes.has(first) && rest.length > 0 ? rest : segments
  return [collection.replaceAll("_", "-"), ...behind]
}

interface Judge {
  readonly single: string
  readonly collection: string
  verdict(resource: PyObject, updates: boolean): Verdict
}

const judges = (addressGroups: AddressGroups): ReadonlyMap<string, Judge> =>
  new Map<string, Judge>([
    [
      "security-group-rules",
      {
        single: "security_group_rule",
        collection: "security_group_rules",
        verdict: (rule) => opensSsh(rule, addressGroups)
      }
    ],
    ["routers", { single: "router", collection: "routers", verdict: ofRouter }],
    ["ports", { single: "port", collection: "ports", verdict: ofPort }]
  ])

const ofBody = (body: Uint8Array | undefined, judge: Judge, updates: boolean): Verdict => {
  const document = body === undefined ? undefined : loads(body)
  if (!isObject(document)) return "either"
  if (!document.has(judge.collection))
    return document.has(judge.single) ? ofElement(document, judge, updates) : "either"
  const list = document.get(judge.collection)
  // The plural is looked for first, and is for creating alone.
  if (updates || !isList(list) || list.length === 0) return "either"
  const verdict = worst(list.map((_) => ofElement(isObject(_) ? _ : undefined, judge, updates)))
  return verdict === "harmless" && document.has(judge.single) ? "either" : verdict
}

/** An element is the resource, or an object with the resource under its name. */
const ofElement = (element: PyObject | undefined, judge: Judge, updates: boolean): Verdict => {
  if (element === undefined) return "either"
  const inner = element.get(judge.single)
  if (inner === undefined) return element.has(judge.single) ? "either" : judge.verdict(element, updates)
  return isObject(inner) ? judge.verdict(inner, updates) : "either"
}

const routerAttributes: ReadonlySet<string> = new Set([
  "name",
  "description",
  "admin_state_up",
  "external_gateway_info",
  "distributed",
  "ha",
  "availability_zone_hints",
  "flavor_id",
  "project_id",
  "tenant_id",
  "routes"
])

/** An update with the key alone rewrites the gateway: null takes it away, anything else turns address translation on. */
const ofRouter = (router: PyObject, updates: boolean): Verdict => {
  const gateway: PyValue | undefined = router.get("external_gateway_info")
  if (gateway !== undefined && (updates || truthy(gateway))) return "dangerous"
  if (gateway !== undefined && gateway !== null) return "either"
  return [...router.keys()].every((_) => routerAttributes.has(_)) ? "harmless" : "either"
}

const ofPort = (port: PyObject): Verdict => {
  const owner = port.get("device_owner")
  if (typeof owner === "string" && owner.startsWith("network:")) return "dangerous"
  return owner === undefined || typeof owner === "string" ? "harmless" : "either"
}
