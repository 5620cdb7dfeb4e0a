import { booleanAt, has, objectAt, stringAt } from "../Json.ts"
import type { Answer } from "../Wire.ts"
import type { Asked } from "./asked.ts"
import { badRequest, fault, invalidField } from "./fault.ts"

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

/** `[{"uuid"}]`, and from 2.37, where it must be there, also "auto" or "none". */
export const networksOf = (asked: Asked, given: Given): ReadonlyArray<string> | Answer => {
  const { networks } = given
  if (networks === undefined && asked.minor >= 37) return badRequest("'networks' is a required property")
  if (networks === "none" && asked.minor >= 37) return []
  if (networks === undefined || (networks === "auto" && asked.minor >= 37)) return onlyOne(asked)
  if (!Array.isArray(networks)) return invalidField("networks", networks, "is not of type 'array'")
  const ids = networks.map((_) => stringAt(objectAt(_), "uuid"))
  const wrong = ids.findIndex((id, i) => (id === undefined ? !has(networks[i], "port") : !uuid.test(id)))
  if (wrong >= 0) return invalidField(`networks[${wrong}]`, networks[wrong], "is not a 'uuid'")
  const named = ids.flatMap((id) => id ?? [])
  return named.map((id) => refusalOf(asked, id)).find((_) => _ !== undefined) ?? named
}

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
      return badRequest(`Security group ${name} not found for project ${asked.scope.projectId}.`)
    }
    if (found.length > 1) {
      const many = `Multiple security groups found matching '${name}'. Use an ID to be more specific.`
      return fault(409, many)
    }
  }
  return wanted.length === 0 ? ["default"] : wanted
}
