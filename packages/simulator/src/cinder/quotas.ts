import { has, objectAt } from "../Json.ts"
import { badRequest, booleanOf, fault, invalidField, policyRefuses } from "../nova/fault.ts"
import { type Answer, empty, type Incoming, json, type Routes } from "../Wire.ts"
import type { World } from "../World.ts"
import { adminRoute, type Request, volumeRoute } from "./request.ts"

type Amounts = Readonly<Record<string, number>>

/** Upper bound of every limit, as in the database. */
const maxLimit = 0x7fffffff

const defaults = ({ cinder }: World): Amounts => {
  const typed = Object.values(cinder.types).map(
    ({ name }) => ({ [`volumes_${name}`]: -1, [`gigabytes_${name}`]: -1, [`snapshots_${name}`]: -1 }) as const
  )
  const base = {
    volumes: 10,
    gigabytes: 1000,
    snapshots: 10,
    backups: 10,
    backup_gigabytes: 1000,
    groups: 10,
    per_volume_gigabytes: -1
  }
  return Object.assign({}, base, ...typed)
}

export const limitsOf = (world: World, projectId: string): Amounts => ({
  ...defaults(world),
  ...world.cinder.quotas[projectId]
})

/**
 * Snapshots count as gigabytes too. A volume counts until its deletion is done, and an extending volume counts
 * with its new size.
 */
export const usageOf = ({ cinder }: World, projectId: string): Amounts => {
  const usage: Record<string, number> = {}
  const add = (kind: string, type: string, amount: number) => {
    for (const key of [kind, `${kind}_${type}`]) usage[key] = (usage[key] ?? 0) + amount
  }
  for (const { due, project_id, size, volume_type } of Object.values(cinder.volumes)) {
    if (project_id !== projectId) continue
    add("volumes", volume_type, 1)
    add("gigabytes", volume_type, due?.size ?? size)
  }
  for (const { project_id, size, volume_id } of Object.values(cinder.snapshots)) {
    if (project_id !== projectId) continue
    const type = cinder.volumes[volume_id]?.volume_type ?? "__DEFAULT__"
    add("snapshots", type, 1)
    add("gigabytes", type, size)
  }
  for (const { project_id, size } of Object.values(cinder.backups)) {
    if (project_id !== projectId) continue
    usage["backups"] = (usage["backups"] ?? 0) + 1
    usage["backup_gigabytes"] = (usage["backup_gigabytes"] ?? 0) + size
  }
  return usage
}

/** The 413 when the quota is exceeded, or undefined. Cinder checks gigabytes first, then counts. */
export const overQuota = (world: World, projectId: string, wanted: Amounts, type: string): Answer | undefined => {
  const [limits, used] = [limitsOf(world, projectId), usageOf(world, projectId)]
  const largest = limits["per_volume_gigabytes"] ?? -1
  const size = wanted["gigabytes"] ?? 0
  if ((wanted["volumes"] ?? 0) > 0 && largest >= 0 && size > largest) {
    return refuse(
      "VolumeSizeExceedsLimit",
      `Requested volume size ${size}G is larger than maximum allowed limit ${largest}G.`
    )
  }
  for (const kind of ["gigabytes", "volumes", "snapshots"]) {
    for (const name of [kind, `${kind}_${type}`]) {
      const [limit, have, want] = [limits[name] ?? -1, used[name] ?? 0, wanted[kind] ?? 0]
      if (want > 0 && limit >= 0 && have + want > limit) return refusalOf(kind, name, limit, have, want)
    }
  }
  return undefined
}

/** An uncaught exception: the message has the class name in front. */
const refuse = (exception: string, text: string): Answer => fault(413, `${exception}: ${text}`)

const refusalOf = (kind: string, name: string, limit: number, have: number, want: number): Answer => {
  if (kind === "gigabytes") {
    return refuse(
      "VolumeSizeExceedsAvailableQuota",
      `Requested volume or snapshot exceeds allowed ${name} quota. Requested ${want}G, quota is ${limit}G and ` +
        `${have}G has been consumed.`
    )
  }
  return kind === "volumes"
    ? refuse("VolumeLimitExceeded", `Maximum number of volumes allowed (${limit}) exceeded for quota '${name}'.`)
    : refuse("SnapshotLimitExceeded", `Maximum number of snapshots allowed (${limit}) exceeded`)
}

const target = ({ params }: Incoming): string => params["target"] ?? ""

const show = (request: Request): Answer => {
  const id = target(request)
  if (!request.scope.admin && id !== request.scope.projectId) return policyRefuses("volume_extension:quotas:show")
  const limits = limitsOf(request.world, id)
  if (booleanOf(request.query.get("usage") ?? "") !== true) return json(200, { quota_set: { id, ...limits } })
  const used = usageOf(request.world, id)
  const detailed = Object.entries(limits).map(
    ([key, limit]) => [key, { limit, in_use: used[key] ?? 0, reserved: 0 }] as const
  )
  return json(200, { quota_set: { id, ...Object.fromEntries(detailed) } })
}

const malformed = "The server could not comply with the request since it is either malformed or otherwise incorrect."

/** Validates all keys before it writes any. There is no `force`, and the project need not exist. */
const update = (request: Request): Answer => {
  const { json: body, world } = request
  if (!has(body, "quota_set")) return badRequest("'quota_set' is a required property")
  if (Object.keys(objectAt(body, "quota_set")).length === 0) {
    return invalidField("quota_set", {}, "{} does not have enough properties")
  }
  const given = Object.entries(objectAt(body, "quota_set")).filter(([key]) => key !== "tenant_id" && key !== "id")
  const known = defaults(world)
  const unknown = given.map(([key]) => key).filter((key) => !Object.hasOwn(known, key))
  if (unknown.length > 0) return badRequest(`Invalid input received: Bad key(s) in quota set: ${unknown.join(",")}`)
  const id = target(request)
  const used = usageOf(world, id)
  const limits: Record<string, number> = {}
  for (const [key, limit] of given) {
    if (typeof limit !== "number") return badRequest(malformed)
    if (!Number.isInteger(limit)) return badRequest(`${key} must be an integer`)
    if (limit < -1) return badRequest(`${key} must be >= -1`)
    if (limit > maxLimit) return badRequest(`${key} must be <= ${maxLimit}`)
    const usage = used[key] ?? 0
    if (limit >= 0 && limit < usage) {
      return badRequest(
        `Quota ${key} limit must be equal or greater than existing resources. Current usage is ${usage} and the ` +
          `requested limit is ${limit}.`
      )
    }
    limits[key] = limit
  }
  world.cinder.quotas[id] = { ...world.cinder.quotas[id], ...limits }
  return json(200, { quota_set: limitsOf(world, id) })
}

const limits = ({ query, scope, world }: Request): Answer => {
  const projectId = (scope.admin ? query.get("project_id") : null) ?? scope.projectId
  const [limit, used] = [limitsOf(world, projectId), usageOf(world, projectId)]
  return json(200, {
    limits: {
      rate: [],
      absolute: {
        maxTotalVolumes: limit["volumes"],
        maxTotalVolumeGigabytes: limit["gigabytes"],
        maxTotalSnapshots: limit["snapshots"],
        maxTotalBackups: limit["backups"],
        maxTotalBackupGigabytes: limit["backup_gigabytes"],
        totalVolumesUsed: used["volumes"] ?? 0,
        totalGigabytesUsed: used["gigabytes"] ?? 0,
        totalSnapshotsUsed: used["snapshots"] ?? 0,
        totalBackupsUsed: used["backups"] ?? 0,
        totalBackupGigabytesUsed: used["backup_gigabytes"] ?? 0
      }
    }
  })
}

export const quotaRoutes: Routes = {
  "GET /v3/:project/limits": volumeRoute(limits),
  "GET /v3/:project/os-quota-sets/:target": volumeRoute(show),
  "GET /v3/:project/os-quota-sets/:target/defaults": volumeRoute((request) =>
    request.scope.admin || request.scope.projectId === target(request)
      ? json(200, { quota_set: { id: target(request), ...defaults(request.world) } })
      : policyRefuses("volume_extension:quotas:show")
  ),
  "PUT /v3/:project/os-quota-sets/:target": adminRoute("volume_extension:quotas:update", update),
  "DELETE /v3/:project/os-quota-sets/:target": adminRoute("volume_extension:quotas:delete", (request) => {
    delete request.world.cinder.quotas[target(request)]
    return empty(200)
  })
}
