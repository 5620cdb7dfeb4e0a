import { randomUUID } from "node:crypto"
import { booleanAt, has, type JsonObject, objectAt, stringAt, stringMapOf } from "../Json.ts"
import { str } from "../python.ts"
import { type Answer, isAnswer, json } from "../Wire.ts"
import { type Request, linksOf } from "./request.ts"
import { type Boot, bootOf, giveDisks, hasVolumes } from "./boot.ts"
import { badRequest, fault, invalidField, missing, wrongName } from "./fault.ts"
import { isSuccess } from "./peers.ts"
import { note } from "./history.ts"
import { type Plug, plug } from "./interfaces.ts"
import { groupIds, groupsOf, networksOf, portsFit } from "./networks.ts"
import { limitOf, overQuota } from "./quotas.ts"
import { type Flavor, type Server, serverDelay } from "./state.ts"

/** The schema allows no other keys: the body cannot name a project. */
const properties = new Set([
  "name",
  "flavorRef",
  "imageRef",
  "networks",
  "security_groups",
  "key_name",
  "block_device_mapping",
  "block_device_mapping_v2",
  "metadata",
  "user_data",
  "availability_zone",
  "config_drive",
  "min_count",
  "max_count",
  "return_reservation_id",
  "accessIPv4",
  "accessIPv6",
  "adminPass",
  "personality",
  "description",
  "tags",
  "hostname",
  "trusted_image_certificates",
  "OS-DCF:diskConfig"
])

const metadataOf = ({ scope, world }: Request, given: JsonObject): Readonly<Record<string, string>> | Answer => {
  const metadata = stringMapOf(given["metadata"])
  if (metadata === undefined) return invalidField("metadata", given["metadata"], "is not of type 'string'")
  const limit = limitOf(world, scope.projectId, "metadata_items")
  return limit >= 0 && Object.keys(metadata).length > limit
    ? fault(403, `Maximum number of metadata items exceeds ${limit}`)
    : metadata
}

/** The schema requires base64, up to this length. */
const mostUserData = 65_535
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const wrongUserData = (value: unknown): Answer | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value !== "string")
    return invalidField("user_data", value, `${str(value)} is not of type 'string', 'null'`)
  if (value.length > mostUserData) return invalidField("user_data", value, `'${value}' is too long`)
  return base64.test(value) ? undefined : invalidField("user_data", value, `'${value}' is not a 'base64'`)
}

const countOf = (value: unknown): number | undefined => {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? count : undefined
}

/** How many servers the quota allows, between `min_count` and the requested number. */
const fitting = (request: Request, flavor: Flavor, min: number, max: number): number | Answer => {
  const refusal = (count: number) =>
    overQuota(request.world, request.scope.projectId, {
      instances: count,
      cores: count * flavor.vcpus,
      ram: count * flavor.ram
    })
  const refused = refusal(max)
  if (refused === undefined) return max
  const counts = Array.from({ length: max - min }, (_, i) => max - 1 - i)
  return counts.find((count) => refusal(count) === undefined) ?? refused
}

const keyMissing = ({ scope, world }: Request, name: string | undefined): boolean =>
  name !== undefined && !Object.values(world.nova.keypairs).some((_) => _.user_id === scope.userId && _.name === name)

/** A server belongs to the token's project, also an administrator's. */
export const create = (request: Request): Answer => {
  const { json: body, world } = request
  if (!has(body, "server")) return missing(request, "server")
  const given = objectAt(body, "server")
  const unknown = Object.keys(given).find((key) => !properties.has(key))
  if (unknown !== undefined) {
    return invalidField("server", given, `Additional properties are not allowed ('${unknown}' was unexpected)`)
  }
  const lacking = ["name", "flavorRef", ...(request.minor < 37 ? [] : ["networks"])].find((_) => !has(given, _))
  if (lacking !== undefined) return invalidField("server", given, `'${lacking}' is a required property`)
  const misnamed = wrongName(given["name"])
  if (misnamed !== undefined) return misnamed
  const misread = wrongUserData(given["user_data"])
  if (misread !== undefined) return misread
  const name = stringAt(given, "name") ?? ""
  const asFlavor = given["flavorRef"]
  if (typeof asFlavor !== "string" && typeof asFlavor !== "number")
    return badRequest("'flavorRef' is a required property")
  // `flavorRef` may be a link.
  const flavorId = String(asFlavor).split("/").at(-1) ?? ""
  const flavor = world.nova.flavors[flavorId]
  if (flavor === undefined) return badRequest(`Flavor ${flavorId} could not be found.`)
  const networks = networksOf(request, given)
  if ("body" in networks) return networks
  const groups = groupsOf(request, given)
  if ("body" in groups) return groups
  const min = countOf(given["min_count"] ?? 1)
  const max = countOf(given["max_count"] ?? min)
  if (min === undefined || max === undefined) return invalidField("min_count", given["min_count"], "")
  if (min > max) return badRequest("min_count must be <= max_count")
  if (keyMissing(request, stringAt(given, "key_name"))) return badRequest("Invalid key_name provided.")
  const boot = bootOf(request, given, flavor)
  if ("body" in boot) return boot
  if (hasVolumes(boot) && max > 1) return badRequest("Cannot attach one or more volumes to multiple instances")
  const metadata = metadataOf(request, given)
  if (isAnswer(metadata)) return metadata
  const count = fitting(request, flavor, min, max)
  if (typeof count !== "number") return count
  const crowded = portsFit(request, networks.filter((_) => _.port === undefined).length, count)
  if (crowded !== undefined) return crowded
  const servers = Array.from({ length: count }, (_, i) =>
    build(request, given, { name: max === 1 ? name : `${name}-${i + 1}`, flavor, networks, groups, boot, metadata })
  )
  return accepted(request, given, servers)
}

interface Plan {
  readonly name: string
  readonly flavor: Flavor
  readonly networks: ReadonlyArray<Plug>
  readonly groups: ReadonlyArray<string>
  readonly boot: Boot
  readonly metadata: Readonly<Record<string, string>>
}

const build = (
  request: Request,
  given: JsonObject,
  { boot, flavor, groups, metadata, name, networks }: Plan
): Server => {
  const { now, scope, world } = request
  const server: Server = {
    id: randomUUID(),
    project_id: scope.projectId,
    user_id: scope.userId,
    name,
    description: stringAt(given, "description") ?? null,
    flavor_id: flavor.id,
    old_flavor_id: null,
    image_id: boot.image?.id ?? null,
    key_name: stringAt(given, "key_name") ?? null,
    networks: networks.flatMap((_) => _.network ?? []),
    security_groups: groups,
    metadata,
    user_data: stringAt(given, "user_data") ?? null,
    availability_zone: stringAt(given, "availability_zone") ?? "nova",
    vm_state: "building",
    task_state: "scheduling",
    locked_by: null,
    created_at: now,
    updated_at: now,
    due: { at: now + serverDelay, vm_state: "active" }
  }
  world.nova.servers[server.id] = server
  const hasDisks = giveDisks(request, server, boot)
  const responses = networks.map((_) => plug(request, server, groupIds(request, groups), _))
  // The server is accepted before its disks and ports exist; when one is refused, the server goes into ERROR.
  if (!hasDisks || responses.some((_) => !isSuccess(_))) server.due = { at: now + serverDelay, vm_state: "error" }
  note(request, server, "create")
  return server
}

const accepted = (request: Request, given: JsonObject, servers: ReadonlyArray<Server>): Answer => {
  if (booleanAt(given, "return_reservation_id") === true) {
    return json(202, { reservation_id: `r-${servers[0]?.id.slice(0, 8)}` })
  }
  const server = {
    id: servers[0]?.id,
    links: linksOf(request, "servers", servers[0]?.id ?? ""),
    "OS-DCF:diskConfig": "MANUAL",
    security_groups: servers[0]?.security_groups.map((name) => ({ name })),
    adminPass: stringAt(given, "adminPass") ?? randomUUID().slice(0, 12)
  }
  return json(202, { server }, { location: linksOf(request, "servers", server.id ?? "")[0]?.href ?? "" })
}
