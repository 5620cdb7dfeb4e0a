import { randomUUID } from "node:crypto"
import { booleanAt, has, objectAt, stringAt } from "../Json.ts"
import { badRequest, fault, notFound } from "../nova/fault.ts"
import { pageOf } from "../nova/paging.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { toMicros } from "../times.ts"
import {
  type Request,
  memberRoute,
  noVolume,
  ofOne,
  pageAnswer,
  snapshotFor,
  volumeBase,
  volumeFor,
  volumeRoute
} from "./request.ts"
import { limitsOf, overQuota, usageOf } from "./quotas.ts"
import { type Backup, type Volume, volumeDelay } from "./state.ts"
import { listed } from "./volumes.ts"

const linksOf = (request: Request, { id }: Backup) => [
  { rel: "self", href: `${volumeBase(request)}/backups/${id}` },
  { rel: "bookmark", href: `${volumeBase(request).replace("/v3/", "/")}/backups/${id}` }
]

const summary = (request: Request, backup: Backup) => ({
  id: backup.id,
  name: backup.name,
  links: linksOf(request, backup)
})

const detail = (request: Request, backup: Backup) => ({
  ...summary(request, backup),
  volume_id: backup.volume_id,
  snapshot_id: backup.snapshot_id,
  status: backup.status,
  size: backup.size,
  description: backup.description,
  object_count: 0,
  container: backup.container,
  availability_zone: "nova",
  is_incremental: backup.is_incremental,
  has_dependent_backups: false,
  fail_reason: null,
  created_at: toMicros(backup.created_at),
  updated_at: backup.updated_at === null ? null : toMicros(backup.updated_at),
  ...(request.scope.admin ? { "os-backup-project-attr:project_id": backup.project_id } : {})
})

const list =
  (view: (request: Request, backup: Backup) => unknown, path: string) =>
  (request: Request): Answer => {
    const { query, world } = request
    const found = listed(request, world.cinder.backups)
    const page = pageOf(
      request,
      found.filter((_) => !query.has("volume_id") || _.volume_id === query.get("volume_id"))
    )
    return pageAnswer(request, "backups", path, page, view)
  }

/** The 413 for one backup too many, or for a backup that is too large; backup gigabytes are a quota of their own. */
const crowded = ({ world }: Request, { project_id, size }: Volume): Answer | undefined => {
  const [limits, used] = [limitsOf(world, project_id), usageOf(world, project_id)]
  const over = (key: string, more: number) => {
    const limit = limits[key] ?? -1
    return limit >= 0 && (used[key] ?? 0) + more > limit
  }
  if (over("backup_gigabytes", size)) {
    return fault(
      413,
      "VolumeBackupSizeExceedsAvailableQuota: Requested backup exceeds allowed Backup gigabytes quota. Requested " +
        `${size}G, quota is ${limits["backup_gigabytes"]}G and ${used["backup_gigabytes"] ?? 0}G has been consumed.`
    )
  }
  return over("backups", 1)
    ? fault(413, `BackupLimitExceeded: Maximum number of backups allowed (${limits["backups"]}) exceeded`)
    : undefined
}

const create = (request: Request): Answer => {
  const { json: body, now, scope, world } = request
  if (!has(body, "backup")) return badRequest("'backup' is a required property")
  const given = objectAt(body, "backup")
  const [volumeId, snapshotId] = [stringAt(given, "volume_id"), stringAt(given, "snapshot_id")]
  if (volumeId === undefined) return badRequest("'volume_id' is a required property")
  const volume = volumeFor(request, scope, volumeId)
  if (volume === undefined) return noVolume(volumeId)
  const snapshot = snapshotId === undefined ? undefined : snapshotFor(request, scope, snapshotId)
  if (snapshotId !== undefined && snapshot?.volume_id !== volume.id) {
    return badRequest(`Invalid snapshot: Snapshot ${snapshotId} is not of volume ${volume.id}.`)
  }
  if (!["available", "in-use"].includes(volume.status)) {
    const message = `Volume to be backed up must be available or in-use, but the current status is "${volume.status}".`
    return badRequest(`Invalid volume: ${message}`)
  }
  if (volume.status === "in-use" && snapshot === undefined && booleanAt(given, "force") !== true) {
    return badRequest("Invalid volume: Backing up an in-use volume must use the force flag.")
  }
  const refused = crowded(request, volume)
  if (refused !== undefined) return refused
  const backup: Backup = {
    id: randomUUID(),
    project_id: scope.projectId,
    user_id: scope.userId,
    volume_id: volume.id,
    snapshot_id: snapshot?.id ?? null,
    name: stringAt(given, "name") ?? null,
    description: stringAt(given, "description") ?? null,
    container: stringAt(given, "container") ?? "volumebackups",
    is_incremental: booleanAt(given, "incremental") ?? false,
    size: volume.size,
    status: "creating",
    created_at: now,
    updated_at: now,
    due: { at: now + volumeDelay, status: "available" }
  }
  world.cinder.backups[backup.id] = backup
  if (snapshot === undefined) {
    volume.due = { at: now + volumeDelay, status: volume.status }
    volume.status = "backing-up"
  }
  return json(202, { backup: summary(request, backup) })
}

const ofBackup = ofOne(
  (_) => _.backups,
  (id) => notFound(`Backup ${id} could not be found.`)
)

const remove = ofBackup(({ now }, backup) => {
  if (!["available", "error"].includes(backup.status)) {
    return badRequest("Invalid backup: Backup status must be available or error")
  }
  backup.status = "deleting"
  backup.due = { at: now + volumeDelay, status: "deleted" }
  return empty(202)
})

/** The volume that a restore creates when the request names none. */
const newVolume = ({ now, scope, world }: Request, backup: Backup, name: string): Volume => {
  const source = world.cinder.volumes[backup.volume_id]
  const volume: Volume = {
    id: randomUUID(),
    project_id: scope.projectId,
    user_id: scope.userId,
    name,
    description: backup.description,
    size: backup.size,
    status: "restoring-backup",
    volume_type: source?.volume_type ?? "__DEFAULT__",
    availability_zone: "nova",
    bootable: source?.bootable ?? false,
    snapshot_id: null,
    source_volid: null,
    image_id: null,
    metadata: {},
    attachment: null,
    created_at: now,
    updated_at: now,
    due: { at: now + volumeDelay, status: "available" }
  }
  world.cinder.volumes[volume.id] = volume
  return volume
}

const restore = ofBackup((request, backup) => {
  if (!has(request.json, "restore")) return badRequest("'restore' is a required property")
  const given = objectAt(request.json, "restore")
  const wanted = stringAt(given, "volume_id")
  if (backup.status !== "available") return badRequest("Invalid backup: Backup status must be available")
  if (wanted === undefined) {
    const type = request.world.cinder.volumes[backup.volume_id]?.volume_type ?? "__DEFAULT__"
    const refused = overQuota(request.world, request.scope.projectId, { volumes: 1, gigabytes: backup.size }, type)
    if (refused !== undefined) return refused
  }
  const found = wanted === undefined ? undefined : volumeFor(request, request.scope, wanted)
  if (wanted !== undefined && found === undefined) return noVolume(wanted)
  if (found !== undefined && found.status !== "available") {
    return badRequest("Invalid volume: Volume to be restored to must be available")
  }
  if (found !== undefined && found.size < backup.size) {
    return badRequest(
      `Invalid volume: volume size ${found.size} is too small to restore backup of size ${backup.size}.`
    )
  }
  const name = stringAt(given, "name") ?? `restore_backup_${backup.id}`
  const volume = found ?? newVolume(request, backup, name)
  const due = { at: request.now + volumeDelay, status: "available" }
  volume.status = "restoring-backup"
  volume.due = due
  backup.status = "restoring"
  backup.due = due
  return json(202, { restore: { backup_id: backup.id, volume_id: volume.id, volume_name: volume.name } })
})

export const backupRoutes: Routes = {
  "GET /v3/:project/backups": volumeRoute(list(summary, "backups")),
  "GET /v3/:project/backups/detail": volumeRoute(list(detail, "backups/detail")),
  "GET /v3/:project/backups/:id": volumeRoute(
    ofBackup((request, backup) => json(200, { backup: detail(request, backup) }))
  ),
  "POST /v3/:project/backups": memberRoute("backup:create", create),
  "DELETE /v3/:project/backups/:id": memberRoute("backup:delete", remove),
  "POST /v3/:project/backups/:id/restore": memberRoute("backup:restore", restore)
}
