import { Result } from "effect"
import { booleanAt, isUuid, type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { checkQuota } from "../neutron/quotas.ts"
import type { Answer } from "../Wire.ts"
import type { Request } from "./request.ts"
import { badRequest, fault, invalidField } from "./fault.ts"
import { freePort, type Plug } from "./interfaces.ts"
import { callNeutron, isSuccess } from "./peers.ts"

/** Nova reads Neutron's networks and groups over Neutron's API, so their fields have wire names and unknown types. */
const shownBy = ({ world: { neutron } }: Request, kind: "networks" | "security_groups") => objectAt(neutron, kind)

const isOwn = ({ scope }: Request, thing: JsonObject): boolean => stringAt(thing, "project_id") === scope.projectId

/** Checks one network as the caller: another project's does not exist, unless it is shared. */
const refusalOf = (request: Request, id: string): Answer | undefined => {
  const network = objectAt(shownBy(request, "networks"), id)
  const external = booleanAt(network, "router:external") ?? false
  if (isOwn(request, network) || booleanAt(network, "shared") === true) return undefined
  if (stringAt(network, "id") === undefined || (!request.scope.admin && !external)) {
    return badRequest(`Network ${id} could not be found.`)
  }
  return external && !request.scope.admin
    ? fault(403, `It is not allowed to create an interface on external network ${id}`)
    : undefined
}

/** A request without networks is valid only when the project can use at most one. */
const onlyOne = (request: Request): ReadonlyArray<string> | Answer => {
  const networks = Object.values(shownBy(request, "networks")).map((_) => objectAt(_))
  const usable = networks.filter((_) => isOwn(request, _) || booleanAt(_, "shared") === true)
  return usable.length > 1
    ? fault(409, "Multiple possible networks found, use a Network ID to be more specific.")
    : usable.flatMap((_) => stringAt(_, "id") ?? [])
}

/**
 * Whether Neutron would auto-allocate a network for a project without one; Nova asks for it when it builds the
 * server.
 */
const automatic = (request: Request): ReadonlyArray<Plug> | Answer =>
  isSuccess(callNeutron(request, "GET", `/v2.0/auto-allocated-topology/${request.scope.projectId}?fields=dry-run`))
    ? [{ automatic: true }]
    : badRequest(`Unable to automatically allocate a network for project ${request.scope.projectId}`)

/** One entry of the list: a network, or an existing free port. */
const plugOf = (request: Request, entry: unknown, index: number): Plug | Answer => {
  const given = objectAt(entry)
  const [network, port, address] = [stringAt(given, "uuid"), stringAt(given, "port"), stringAt(given, "fixed_ip")]
  if (port !== undefined) {
    const found = freePort(request, port)
    return "headers" in found
      ? found.status === 404
        ? badRequest(`Port id ${port} could not be found.`)
        : fault(409, `Port ${port} is still in use.`)
      : { port }
  }
  if (network === undefined || !isUuid(network)) {
    return invalidField(`networks[${index}]`, entry, "is not a 'uuid'")
  }
  return refusalOf(request, network) ?? { network, address }
}

/** `[{"uuid"}]` and `[{"port"}]`; from microversion 2.37 also "auto" or "none", and required. */
export const networksOf = (request: Request, given: JsonObject): ReadonlyArray<Plug> | Answer => {
  const { networks } = given
  const newer = request.minor >= 37
  if (networks === "none" && newer) return []
  if (networks === undefined || (networks === "auto" && newer)) {
    const only = onlyOne(request)
    if ("body" in only) return only
    return only.length === 0 && networks === "auto" ? automatic(request) : only.map((network) => ({ network }))
  }
  if (!Array.isArray(networks)) return invalidField("networks", networks, "is not of type 'array'")
  const plugs = networks.map((entry, i) => plugOf(request, entry, i))
  return plugs.find((_) => "headers" in _) ?? plugs.flatMap((_) => ("headers" in _ ? [] : [_]))
}

/** The 403 when the port quota does not allow the ports of the required servers. */
export const portsFit = ({ scope, world: { neutron } }: Request, each: number, servers: number): Answer | undefined =>
  Result.isFailure(checkQuota(neutron, scope.projectId, "port", each * servers))
    ? fault(403, "Maximum number of ports exceeded")
    : undefined

/** Groups by name or id in the caller's project; `default` always exists. */
export const groupsOf = (request: Request, given: JsonObject): ReadonlyArray<string> | Answer => {
  const asGroups = given["security_groups"]
  const wanted = objectsAt(asGroups).flatMap((_) => stringAt(_, "name") ?? [])
  const own = Object.values(shownBy(request, "security_groups"))
    .map((_) => objectAt(_))
    .filter((_) => isOwn(request, _))
  for (const name of wanted) {
    if (name === "default") continue
    const found = own.filter((_) => _["name"] === name || _["id"] === name)
    if (found.length === 0) {
      return badRequest(`Unable to find security_group with name or id '${name}'`)
    }
    if (found.length > 1) {
      const many = `Multiple security groups found matching '${name}'. Use an ID to be more specific.`
      return fault(409, many)
    }
  }
  return wanted.length === 0 ? ["default"] : wanted
}

/** The ids of the named groups; for `default` alone Neutron chooses. */
export const groupIds = (request: Request, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (names.length === 1 && names[0] === "default") return []
  const own = Object.values(shownBy(request, "security_groups"))
    .map((_) => objectAt(_))
    .filter((_) => isOwn(request, _))
  return names.flatMap((name) => stringAt(own.find((_) => _["name"] === name || _["id"] === name) ?? {}, "id") ?? [])
}
