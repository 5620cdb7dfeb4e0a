import { randomUUID } from "node:crypto"
import { booleanAt, type JsonObject, objectAt, stringAt, stringMapOf, stringsAt } from "../Json.ts"
import { pathOfUrl, str } from "../python.ts"
import { type Answer, isAnswer, json } from "../Wire.ts"
import { type Request, linksOf } from "./request.ts"
import { attributesOf } from "./attributes.ts"
import { type Boot, bootOf, giveDisks, hasVolumes } from "./boot.ts"
import { badRequest, fault, invalidField, misfit } from "./fault.ts"
import { isSuccess } from "./peers.ts"
import { hintsOf, wrongGroup } from "./groups.ts"
import { note } from "./history.ts"
import { type Plug, plug } from "./interfaces.ts"
import { groupIds, groupsOf, networksOf, portsFit } from "./networks.ts"
import { limitOf, overQuota } from "./quotas.ts"
import { createServer } from "./schemas.ts"
import { type Flavor, type Server, serverDelay } from "./state.ts"

const metadataOf = ({ scope, world }: Request, given: JsonObject): Readonly<Record<string, string>> | Answer => {
  const metadata = stringMapOf(given["metadata"]) ?? {}
  const limit = limitOf(world, scope.projectId, "metadata_items")
  return limit >= 0 && Object.keys(metadata).length > limit
    ? fault(403, `Maximum number of metadata items exceeds ${limit}`)
    : metadata
}

const countOf = (value: unknown): number | undefined => {
  const count = typeof value === "string" && /^\d+\n?$/.test(value) ? Number(value) : value
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
  const refused = misfit(createServer(request.minor), body)
  if (refused !== undefined) return refused
  const given = objectAt(body, "server")
  const name = stringAt(given, "name") ?? ""
  // `flavorRef` may be a link.
  const flavorId = pathOfUrl(str(given["flavorRef"])).split("/").at(-1) ?? ""
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
  const ungrouped = wrongGroup(request, max)
  if (ungrouped !== undefined) return ungrouped
  const boot = bootOf(request, given, flavor)
  if ("body" in boot) return boot
  if (hasVolumes(boot) && max > 1) return badRequest("Cannot attach one or more volumes to multiple instances")
  const metadata = metadataOf(request, given)
  if (isAnswer(metadata)) return metadata
  const count = fitting(request, flavor, min, max)
  if (typeof count !== "number") return count
  const crowded = portsFit(request, networks.filter((_) => _.port === undefined).length, count)
  if (crowded !== undefined) return crowded
  const plan = { flavor, networks, groups, boot, metadata, reservation_id: `r-${randomUUID().slice(0, 8)}` }
  const servers = Array.from({ length: count }, (_, i) =>
    build(request, given, { ...plan, name: max === 1 ? name : `${name}-${i + 1}` })
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
  readonly reservation_id: string
}

const build = (
  request: Request,
  given: JsonObject,
  { boot, flavor, groups, metadata, name, networks, reservation_id }: Plan
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
    ...attributesOf(given),
    reservation_id,
    group_id: stringAt(hintsOf(request), "group"),
    tags: stringsAt(given, "tags") ?? [],
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
    return json(202, { reservation_id: servers[0]?.reservation_id })
  }
  const server = {
    id: servers[0]?.id,
    links: linksOf(request, "servers", servers[0]?.id ?? ""),
    "OS-DCF:diskConfig": servers[0]?.disk_config ?? "MANUAL",
    security_groups: servers[0]?.security_groups.map((name) => ({ name })),
    adminPass: stringAt(given, "adminPass") ?? randomUUID().slice(0, 12)
  }
  return json(202, { server }, { location: linksOf(request, "servers", server.id ?? "")[0]?.href ?? "" })
}
