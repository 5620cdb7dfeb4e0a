import { has, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { type Asked, type Answering, computeRoute, ofServer } from "./asked.ts"
import { badRequest, notFound } from "./fault.ts"
import { askNeutron, isGood, passedOn } from "./peers.ts"
import { proxyRead, proxyWrite } from "./proxied.ts"
import { isAnswer } from "./paging.ts"

type Shown = ReturnType<typeof objectAt>

const uuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

const list = (value: unknown): ReadonlyArray<Shown> => (Array.isArray(value) ? value.map((_) => objectAt(_)) : [])

export const rulesOf = (group: Shown): ReadonlyArray<Shown> =>
  list(group["security_group_rules"]).filter((_) => _["direction"] === "ingress")

/** Without ports, TCP and UDP are open whole, and of the others type and code are -1. */
export const portsOf = (rule: Shown): readonly [unknown, unknown] => {
  const { port_range_max: most, port_range_min: least, protocol } = rule
  if (protocol === null || least !== null || most !== null) return [least, most]
  return protocol === "tcp" || protocol === "udp" ? [1, 65535] : [-1, -1]
}

/** A rule of another group shows that group's name; one that the caller cannot see is left out whole. */
export const showRule = (asked: Asked, rule: Shown): object | undefined => {
  const [from_port, to_port] = portsOf(rule)
  const source = stringAt(rule, "remote_group_id")
  const told = source === undefined ? undefined : askNeutron(asked, "GET", `/v2.0/security-groups/${source}`)
  if (told !== undefined && !isGood(told)) return undefined
  const group = objectAt(told?.json, "security_group")
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

const showGroup = (asked: Asked, group: Shown) => ({
  id: group["id"],
  name: group["name"],
  description: group["description"],
  tenant_id: group["tenant_id"],
  rules: rulesOf(group).flatMap((_) => showRule(asked, _) ?? [])
})

export const groupFor = (asked: Asked, id: unknown): Shown | Answer => {
  if (typeof id !== "string" || !uuid.test(id)) return badRequest("Security group id should be uuid")
  const told = askNeutron(asked, "GET", `/v2.0/security-groups/${id}`)
  return isGood(told) ? objectAt(told.json, "security_group") : passedOn(told)
}

export const bodyOf = ({ json: body }: Asked, key: string): Shown | Answer => {
  if (!has(body, key))
    return badRequest(body === undefined ? "The request body can't be empty" : `Missing parameter ${key}`)
  return objectAt(body, key)
}

/** Only an administrator who says `all_tenants` sees more than the own project's. */
const index: Answering = (asked) => {
  const all = asked.scope.admin && asked.query.has("all_tenants")
  const told = askNeutron(asked, "GET", `/v2.0/security-groups${all ? "" : `?tenant_id=${asked.scope.projectId}`}`)
  const groups = list(objectAt(told.json)["security_groups"]).map((_) => showGroup(asked, _))
  return json(200, {
    security_groups: groups.toSorted((a, b) => (`${a.tenant_id} ${a.name}` < `${b.tenant_id} ${b.name}` ? -1 : 1))
  })
}

const ofGroup =
  (handler: (asked: Asked, group: Shown) => Answer): Answering =>
  (asked) => {
    const group = groupFor(asked, asked.params["id"])
    return isAnswer(group) ? group : handler(asked, group)
  }

const named = (asked: Asked): { readonly name: string; readonly description: string } | Answer => {
  const body = bodyOf(asked, "security_group")
  if (isAnswer(body)) return body
  const [name, description] = [stringAt(body, "name"), stringAt(body, "description")]
  if (name === undefined || description === undefined) {
    return badRequest(
      `Invalid input received: ${name === undefined ? "name" : "description"} is not a string or unicode`
    )
  }
  return { name, description }
}

const create: Answering = (asked) => {
  const given = named(asked)
  if ("status" in given) return given
  const told = askNeutron(asked, "POST", "/v2.0/security-groups", { security_group: given })
  return isGood(told)
    ? json(200, { security_group: showGroup(asked, objectAt(told.json, "security_group")) })
    : passedOn(told, { 409: 403 })
}

const update = ofGroup((asked, group) => {
  const given = named(asked)
  if ("status" in given) return given
  const told = askNeutron(asked, "PUT", `/v2.0/security-groups/${stringAt(group, "id")}`, { security_group: given })
  return isGood(told)
    ? json(200, { security_group: showGroup(asked, objectAt(told.json, "security_group")) })
    : passedOn(told, { 409: 500, 403: 500 })
})

const remove = ofGroup((asked, group) => {
  const told = askNeutron(asked, "DELETE", `/v2.0/security-groups/${stringAt(group, "id")}`)
  return isGood(told) ? empty(202) : passedOn(told, { 409: 400 })
})

/** The groups of a server's ports. */
const ofOne = ofServer((asked, server) => {
  const { neutron, nova } = asked.world
  const ports = Object.values(nova.interfaces).filter((_) => _.server_id === server.id)
  const ids = new Set(ports.flatMap((_) => neutron.ports[_.id]?.security_groups ?? []))
  const groups = [...ids].flatMap((id) => {
    const told = askNeutron(asked, "GET", `/v2.0/security-groups/${id}`)
    return isGood(told) ? [showGroup(asked, objectAt(told.json, "security_group"))] : []
  })
  return json(200, { security_groups: groups })
})

export const groupNamed = (asked: Asked, name: string): string | Answer => {
  const told = askNeutron(asked, "GET", `/v2.0/security-groups?tenant_id=${asked.scope.projectId}`)
  const found = list(objectAt(told.json)["security_groups"]).find((_) => _["id"] === name || _["name"] === name)
  return (
    stringAt(found ?? {}, "id") ?? notFound(`Security group ${name} not found for project ${asked.scope.projectId}.`)
  )
}

export const securityGroupRoutes: Routes = {
  "GET /v2.1/os-security-groups": proxyRead(index),
  "POST /v2.1/os-security-groups": proxyWrite("os-security-groups:create", create),
  "GET /v2.1/os-security-groups/:id": proxyRead(
    ofGroup((asked, group) => json(200, { security_group: showGroup(asked, group) }))
  ),
  "PUT /v2.1/os-security-groups/:id": proxyWrite("os-security-groups:update", update),
  "DELETE /v2.1/os-security-groups/:id": proxyWrite("os-security-groups:delete", remove),
  "GET /v2.1/servers/:id/os-security-groups": computeRoute(ofOne)
}
