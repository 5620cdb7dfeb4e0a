import { Result } from "effect"
import { booleanAt, objectAt, stringAt } from "../Json.ts"
import { checkQuota } from "../neutron/quotas.ts"
import type { Answer } from "../Wire.ts"
import type { Asked } from "./asked.ts"
import { badRequest, fault, invalidField } from "./fault.ts"
import { freePort, type Plug } from "./interfaces.ts"
import { askNeutron, isGood } from "./peers.ts"

const uuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

type Given = ReturnType<typeof objectAt>

/** Neutron's networks and groups are read as Nova reads them, over its API: by wire names, with nothing taken for granted. */
const shownBy = ({ world: { neutron } }: Asked, kind: "networks" | "security_groups") => objectAt(neutron, kind)

const isOwn = ({ scope }: Asked, thing: Given): boolean => stringAt(thing, "project_id") === scope.projectId

/** Checks one network as the caller: another project's does not exist, unless it is shared. */
const refusalOf = (asked: Asked, id: string): Answer | undefined => {
  const network = objectAt(shownBy(asked, "networks"), id)
  const external = booleanAt(network, "router:external") ?? false
  if (isOwn(asked, network) || booleanAt(network, "shared") === true) return undefined
  if (stringAt(network, "id") === undefined || (!asked.scope.admin && !external)) {
    return badRequest(`Network ${id} could not be found.`)
  }
  return external && !asked.scope.admin
    ? fault(403, `It is not allowed to create an interface on external network ${id}`)
    : undefined
}

/** Without a choice there must be none to make. */
const onlyOne = (asked: Asked): ReadonlyArray<string> | Answer => {
  const networks = Object.values(shownBy(asked, "networks")).map((_) => objectAt(_))
  const usable = networks.filter((_) => isOwn(asked, _) || booleanAt(_, "shared") === true)
  return usable.length > 1
    ? fault(409, "Multiple possible networks found, use a Network ID to be more specific.")
    : usable.flatMap((_) => stringAt(_, "id") ?? [])
}

/** Whether Neutron would make a network for a project that has none; it is asked for it when the server is built. */
const automatic = (asked: Asked): ReadonlyArray<Plug> | Answer =>
  isGood(askNeutron(asked, "GET", `/v2.0/auto-allocated-topology/${asked.scope.projectId}?fields=dry-run`))
    ? [{ automatic: true }]
    : badRequest(`Unable to automatically allocate a network for project ${asked.scope.projectId}`)

/** One entry of the list: a network, or a port that is there and free. */
const plugOf = (asked: Asked, entry: unknown, index: number): Plug | Answer => {
  const given = objectAt(entry)
  const [network, port, address] = [stringAt(given, "uuid"), stringAt(given, "port"), stringAt(given, "fixed_ip")]
  if (port !== undefined) {
    const found = freePort(asked, port)
    return "headers" in found
      ? found.status === 404
        ? badRequest(`Port id ${port} could not be found.`)
        : fault(409, `Port ${port} is still in use.`)
      : { port }
  }
  if (network === undefined || !uuid.test(network)) {
    return invalidField(`networks[${index}]`, entry, "is not a 'uuid'")
  }
  return refusalOf(asked, network) ?? { network, address }
}

/** `[{"uuid"}]` and `[{"port"}]`; from 2.37, where it must be there, also "auto" or "none". */
export const networksOf = (asked: Asked, given: Given): ReadonlyArray<Plug> | Answer => {
  const { networks } = given
  const newer = asked.minor >= 37
  if (networks === "none" && newer) return []
  if (networks === undefined || (networks === "auto" && newer)) {
    const only = onlyOne(asked)
    if ("body" in only) return only
    return only.length === 0 && networks === "auto" ? automatic(asked) : only.map((network) => ({ network }))
  }
  if (!Array.isArray(networks)) return invalidField("networks", networks, "is not of type 'array'")
  const plugs = networks.map((entry, i) => plugOf(asked, entry, i))
  return plugs.find((_) => "headers" in _) ?? plugs.flatMap((_) => ("headers" in _ ? [] : [_]))
}

/** How many servers find room for their ports; the 403 when it is fewer than must be. */
export const portsFit = ({ scope, world: { neutron } }: Asked, each: number, servers: number): Answer | undefined =>
  Result.isFailure(checkQuota(neutron, scope.projectId, "port", each * servers))
    ? fault(403, "Maximum number of ports exceeded")
    : undefined

/** Groups by name or id in the caller's project; `default` is there for everybody. */
export const groupsOf = (asked: Asked, given: Given): ReadonlyArray<string> | Answer => {
  const asGroups = given["security_groups"]
  const wanted = (Array.isArray(asGroups) ? asGroups : []).flatMap((_) => stringAt(objectAt(_), "name") ?? [])
  const own = Object.values(shownBy(asked, "security_groups"))
    .map((_) => objectAt(_))
    .filter((_) => isOwn(asked, _))
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

/** The ids behind the names; `default` alone is left to Neutron. */
export const groupIds = (asked: Asked, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (names.length === 1 && names[0] === "default") return []
  const own = Object.values(shownBy(asked, "security_groups"))
    .map((_) => objectAt(_))
    .filter((_) => isOwn(asked, _))
  return names.flatMap((name) => stringAt(own.find((_) => _["name"] === name || _["id"] === name) ?? {}, "id") ?? [])
}
