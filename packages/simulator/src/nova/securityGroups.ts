import { has, isUuid, type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { type Answer, empty, isAnswer, json, type Routes } from "../Wire.ts"
import { type RequestHandler, type Request, computeRoute, ofServer, proxyRead, proxyWrite } from "./request.ts"
import { badRequest, notFound } from "./fault.ts"
import { callNeutron, isSuccess, relayError } from "./peers.ts"

export const rulesOf = (group: JsonObject): ReadonlyArray<JsonObject> =>
  objectsAt(group, "security_group_rules").filter((_) => _["direction"] === "ingress")

/** A TCP or UDP rule without ports covers all ports; for other protocols type and code are -1. */
export const portsOf = (rule: JsonObject): readonly [unknown, unknown] => {
  const { port_range_max: most, port_range_min: least, protocol } = rule
  if (protocol === null || least !== null || most !== null) return [least, most]
  return protocol === "tcp" || protocol === "udp" ? [1, 65535] : [-1, -1]
}

/** A rule with a source group shows the group's name; a rule whose group the caller cannot see is omitted. */
export const showRule = (request: Request, rule: JsonObject): object | undefined => {
  const [from_port, to_port] = portsOf(rule)
  const source = stringAt(rule, "remote_group_id")
  const response = source === undefined ? undefined : callNeutron(request, "GET", `/v2.0/security-groups/${source}`)
  if (response !== undefined && !isSuccess(response)) return undefined
  const group = objectAt(response?.json, "security_group")
  return {
    id: rule["id"],
    parent_group_id: rule["security_group_id"],
    ip_protocol: rule["protocol"],
    from_port,
    to_port,
    group: source === undefined ? {} : { name: group["name"], tenant_id: group["tenant_id"] },
    ip_range: source === undefined ? { cidr: rule["remote_ip_prefix"] ?? "0.0.0.0/0" } : {}
  }
}

const showGroup = (request: Request, group: JsonObject) => ({
  id: group["id"],
  name: group["name"],
  description: group["description"],
  tenant_id: group["tenant_id"],
  rules: rulesOf(group).flatMap((_) => showRule(request, _) ?? [])
})

export const groupFor = (request: Request, id: unknown): JsonObject | Answer => {
  if (typeof id !== "string" || !isUuid(id)) return badRequest("Security group id should be uuid")
  const response = callNeutron(request, "GET", `/v2.0/security-groups/${id}`)
  return isSuccess(response) ? objectAt(response.json, "security_group") : relayError(response)
}

export const bodyOf = ({ json: body }: Request, key: string): JsonObject | Answer => {
  if (!has(body, key))
    return badRequest(body === undefined ? "The request body can't be empty" : `Missing parameter ${key}`)
  return objectAt(body, key)
}

/** Only an administrator with `all_tenants` sees other projects' groups. */
const index: RequestHandler = (request) => {
  const all = request.scope.admin && request.query.has("all_tenants")
  const response = callNeutron(
    request,
    "GET",
    `/v2.0/security-groups${all ? "" : `?tenant_id=${request.scope.projectId}`}`
  )
  const groups = objectsAt(response.json, "security_groups").map((_) => showGroup(request, _))
  return json(200, {
    security_groups: groups.toSorted((a, b) => (`${a.tenant_id} ${a.name}` < `${b.tenant_id} ${b.name}` ? -1 : 1))
  })
}

const ofGroup =
  (handler: (request: Request, group: JsonObject) => Answer): RequestHandler =>
  (request) => {
    const group = groupFor(request, request.params["id"])
    return isAnswer(group) ? group : handler(request, group)
  }

const named = (request: Request): { readonly name: string; readonly description: string } | Answer => {
  const body = bodyOf(request, "security_group")
  if (isAnswer(body)) return body
  const [name, description] = [stringAt(body, "name"), stringAt(body, "description")]
  if (name === undefined || description === undefined) {
    return badRequest(
      `Invalid input received: ${name === undefined ? "name" : "description"} is not a string or unicode`
    )
  }
  return { name, description }
}

const create: RequestHandler = (request) => {
  const given = named(request)
  if ("status" in given) return given
  const response = callNeutron(request, "POST", "/v2.0/security-groups", { security_group: given })
  return isSuccess(response)
    ? json(200, { security_group: showGroup(request, objectAt(response.json, "security_group")) })
    : relayError(response, { 409: 403 })
}

const update = ofGroup((request, group) => {
  const given = named(request)
  if ("status" in given) return given
  const response = callNeutron(request, "PUT", `/v2.0/security-groups/${stringAt(group, "id")}`, {
    security_group: given
  })
  return isSuccess(response)
    ? json(200, { security_group: showGroup(request, objectAt(response.json, "security_group")) })
    : relayError(response, { 409: 500, 403: 500 })
})

const remove = ofGroup((request, group) => {
  const response = callNeutron(request, "DELETE", `/v2.0/security-groups/${stringAt(group, "id")}`)
  return isSuccess(response) ? empty(202) : relayError(response, { 409: 400 })
})

/** The groups of a server's ports. */
const ofOne = ofServer((request, server) => {
  const { neutron, nova } = request.world
  const ports = Object.values(nova.interfaces).filter((_) => _.server_id === server.id)
  const ids = new Set(ports.flatMap((_) => neutron.ports[_.id]?.security_groups ?? []))
  const groups = [...ids].flatMap((id) => {
    const response = callNeutron(request, "GET", `/v2.0/security-groups/${id}`)
    return isSuccess(response) ? [showGroup(request, objectAt(response.json, "security_group"))] : []
  })
  return json(200, { security_groups: groups })
})

export const groupNamed = (request: Request, name: string): string | Answer => {
  const response = callNeutron(request, "GET", `/v2.0/security-groups?tenant_id=${request.scope.projectId}`)
  const found = objectsAt(response.json, "security_groups").find((_) => _["id"] === name || _["name"] === name)
  return (
    stringAt(found ?? {}, "id") ?? notFound(`Security group ${name} not found for project ${request.scope.projectId}.`)
  )
}

export const securityGroupRoutes: Routes = {
  "GET /v2.1/os-security-groups": proxyRead(index),
  "POST /v2.1/os-security-groups": proxyWrite("os-security-groups:create", create),
  "GET /v2.1/os-security-groups/:id": proxyRead(
    ofGroup((request, group) => json(200, { security_group: showGroup(request, group) }))
  ),
  "PUT /v2.1/os-security-groups/:id": proxyWrite("os-security-groups:update", update),
  "DELETE /v2.1/os-security-groups/:id": proxyWrite("os-security-groups:delete", remove),
  "GET /v2.1/servers/:id/os-security-groups": computeRoute(ofOne)
}
