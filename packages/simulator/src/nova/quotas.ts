import { has, objectAt } from "../Json.ts"
import { repr } from "../python.ts"
import { type Answer, empty, isAnswer, json, type Routes } from "../Wire.ts"
import type { World } from "../World.ts"
import { adminRoute, type Request, computeRoute } from "./request.ts"
import { badRequest, booleanOf, fault, invalidField, missing, policyRefuses } from "./fault.ts"
import type { Flavor } from "./state.ts"

type Amounts = Readonly<Record<string, number>>

/** Upper bound of every limit, as in the database. */
const maxLimit = 0x7fffffff

const lasting: Amounts = {
  instances: 10,
  cores: 20,
  ram: 51200,
  metadata_items: 128,
  key_pairs: 100,
  server_groups: 10,
  server_group_members: 10
}

/** Up to microversion 2.35. */
const untilNetworks: Amounts = { fixed_ips: -1, floating_ips: -1, security_groups: -1, security_group_rules: -1 }

/** Up to microversion 2.56. */
const untilFiles: Amounts = { injected_files: 5, injected_file_content_bytes: 10240, injected_file_path_bytes: 255 }

/** The keys of a quota set at a microversion, with the stock limits. */
const defaults = (minor: number): Amounts => ({
  ...lasting,
  ...(minor < 36 ? untilNetworks : {}),
  ...(minor < 57 ? untilFiles : {})
})

const limitsAt = (world: World, projectId: string, minor: number): Amounts => {
  const stored = world.nova.quotas[projectId] ?? {}
  return Object.fromEntries(Object.entries(defaults(minor)).map(([key, limit]) => [key, stored[key] ?? limit]))
}

export const limitOf = (world: World, projectId: string, key: string): number =>
  world.nova.quotas[projectId]?.[key] ?? lasting[key] ?? -1

/** A server counts until its deletion is done, in any state; an unconfirmed resize counts both flavors. */
const usageOf = ({ nova }: World, projectId: string): Amounts => {
  const servers = Object.values(nova.servers).filter((_) => _.project_id === projectId)
  const flavors = servers
    .flatMap((_) => (_.old_flavor_id === null ? [_.flavor_id] : [_.flavor_id, _.old_flavor_id]))
    .flatMap((id) => nova.flavors[id] ?? [])
  const sum = (amount: (flavor: Flavor) => number) => flavors.reduce((total, _) => total + amount(_), 0)
  const groups = Object.values(nova.server_groups).filter((_) => _.project_id === projectId)
  return {
    instances: servers.length,
    cores: sum((_) => _.vcpus),
    ram: sum((_) => _.ram),
    server_groups: groups.length
  }
}

/** The 403 when quotas are exceeded, with all resources in one message; undefined otherwise. */
export const overQuota = (world: World, projectId: string, wanted: Amounts): Answer | undefined => {
  const used = usageOf(world, projectId)
  const over = Object.entries(wanted)
    .map(([key, want]) => ({ key, want, have: used[key] ?? 0, limit: limitOf(world, projectId, key) }))
    .filter(({ have, limit, want }) => want > 0 && limit >= 0 && have + want > limit)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  if (over.length === 0) return undefined
  const names = over.map((_) => _.key).join(", ")
  const [want, have, limit] = [
    over.map((_) => _.want).join(", "),
    over.map((_) => _.have).join(", "),
    over.map((_) => _.limit).join(", ")
  ]
  return fault(403, `Quota exceeded for ${names}: Requested ${want}, but already used ${have} of ${limit} ${names}`)
}

const target = ({ params }: Request): string => params["target"] ?? ""

/** A project may read its own limits; other projects' limits are for administrators. */
const readable = (rule: string, handler: (request: Request) => Answer) =>
  computeRoute((request) =>
    request.scope.admin || target(request) === request.scope.projectId
      ? handler(request)
      : policyRefuses(`os_compute_api:os-quota-sets:${rule}`)
  )

/** The project must exist in Keystone. */
const ofProject =
  (handler: (request: Request) => Answer) =>
  (request: Request): Answer =>
    request.world.keystone.projects[target(request)] === undefined
      ? badRequest(`Project ID ${target(request)} is not a valid project.`)
      : handler(request)

const show = (request: Request): Answer =>
  json(200, { quota_set: { id: target(request), ...limitsAt(request.world, target(request), request.minor) } })

const detail = (request: Request): Answer => {
  const id = target(request)
  const used = usageOf(request.world, id)
  const detailed = Object.entries(limitsAt(request.world, id, request.minor)).map(
    ([key, limit]) => [key, { in_use: used[key] ?? 0, limit, reserved: 0 }] as const
  )
  return json(200, { quota_set: { id, ...Object.fromEntries(detailed) } })
}

/** Numeric text is a limit too. */
const limitFrom = (value: unknown): number | undefined => {
  const limit = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value
  return typeof limit === "number" && Number.isInteger(limit) ? limit : undefined
}

/** The requested limits, or the schema's 400: unknown keys, invalid types, values out of range. */
const read = (request: Request): Amounts | Answer => {
  const { json: body, minor } = request
  const given = objectAt(body, "quota_set")
  if (!has(body, "quota_set")) return missing(request, "quota_set")
  const known = defaults(minor)
  const limits: Record<string, number> = {}
  for (const [key, value] of Object.entries(given)) {
    if (key === "force") continue
    if (!Object.hasOwn(known, key)) {
      return invalidField("quota_set", given, `Additional properties are not allowed ('${key}' was unexpected)`)
    }
    const limit = limitFrom(value)
    const wrong = wrongLimit(value, limit)
    if (limit === undefined || wrong !== undefined) return invalidField(key, value, wrong ?? "")
    limits[key] = limit
  }
  return limits
}

const wrongLimit = (value: unknown, limit: number | undefined): string | undefined => {
  if (limit === undefined) {
    return typeof value === "string"
      ? `${repr(value)} does not match '^-?[0-9]+$'`
      : `${repr(value)} is not of type 'integer', 'string'`
  }
  if (limit < -1) return `${limit} is less than the minimum of -1`
  return limit > maxLimit ? `${limit} is greater than the maximum of ${maxLimit}` : undefined
}

/** Validates all keys before it writes any. Without `force` a limit below the usage is refused. */
const update = (request: Request): Answer => {
  const { json: body, minor, world } = request
  const id = target(request)
  const limits = read(request)
  if (isAnswer(limits)) return limits
  const asForce = objectAt(body, "quota_set")["force"] ?? false
  const force = typeof asForce === "string" ? booleanOf(asForce) : asForce
  if (typeof force !== "boolean") return invalidField("force", asForce, "is not one of the booleans")
  if (world.keystone.projects[id] === undefined) return badRequest(`Project ID ${id} is not a valid project.`)
  const used = usageOf(world, id)
  const below = Object.entries(limits).find(([key, limit]) => limit >= 0 && limit < (used[key] ?? 0))
  if (below !== undefined && !force) {
    const [key, limit] = below
    return badRequest(
      `Quota limit ${limit} for ${key} must be greater than or equal to already used and reserved ${used[key]}.`
    )
  }
  world.nova.quotas[id] = { ...world.nova.quotas[id], ...limits }
  return json(200, { quota_set: limitsAt(world, id, minor) })
}

const limits = ({ minor, query, scope, world }: Request): Answer => {
  const other = query.get("tenant_id")
  if (other !== null && !scope.admin) return policyRefuses("os_compute_api:limits:other_project")
  const projectId = other ?? scope.projectId
  const [limit, used] = [limitsAt(world, projectId, minor), usageOf(world, projectId)]
  // Neutron counts these; Nova has neither a limit nor a usage of them.
  const limits = { maxSecurityGroups: -1, maxSecurityGroupRules: -1, maxTotalFloatingIps: -1 }
  const networks = minor < 36 ? { ...limits, totalFloatingIpsUsed: 0, totalSecurityGroupsUsed: 0 } : {}
  const images = minor < 39 ? { maxImageMeta: limit["metadata_items"] } : {}
  const files = minor < 57 ? { maxPersonality: limit["injected_files"], maxPersonalitySize: 10240 } : {}
  return json(200, {
    limits: {
      rate: [],
      absolute: {
        maxTotalInstances: limit["instances"],
        maxTotalCores: limit["cores"],
        maxTotalRAMSize: limit["ram"],
        maxTotalKeypairs: limit["key_pairs"],
        maxServerMeta: limit["metadata_items"],
        maxServerGroups: limit["server_groups"],
        maxServerGroupMembers: limit["server_group_members"],
        totalInstancesUsed: used["instances"],
        totalCoresUsed: used["cores"],
        totalRAMUsed: used["ram"],
        totalServerGroupsUsed: used["server_groups"],
        ...networks,
        ...images,
        ...files
      }
    }
  })
}

export const quotaRoutes: Routes = {
  "GET /v2.1/limits": computeRoute(limits),
  "GET /v2.1/os-quota-sets/:target": readable("show", ofProject(show)),
  "GET /v2.1/os-quota-sets/:target/detail": readable("detail", ofProject(detail)),
  "GET /v2.1/os-quota-sets/:target/defaults": computeRoute(
    ofProject((request) => json(200, { quota_set: { id: target(request), ...defaults(request.minor) } }))
  ),
  "PUT /v2.1/os-quota-sets/:target": adminRoute("os-quota-sets:update", update),
  "DELETE /v2.1/os-quota-sets/:target": adminRoute("os-quota-sets:delete", (request) => {
    delete request.world.nova.quotas[target(request)]
    return empty(202)
  })
}
