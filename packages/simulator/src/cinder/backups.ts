import { randomUUID } from "node:crypto"
import { booleanAt, has, objectAt, stringAt } from "../Json.ts"
import { badRequest, fault, notFound } from "../nova/fault.ts"
import { isAnswer, pageOf } from "../nova/paging.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { type Asked, memberRoute, noVolume, snapshotFor, stamp, volumeBase, volumeFor, volumeRoute } from "./asked.ts"
import { limitsOf, overQuota, usageOf } from "./quotas.ts"
import { type Backup, type Volume, volumeDelay } from "./state.ts"
import { listed } from "./volumes.ts"

const linksOf = (asked: Asked, { id }: Backup) => [
  { rel: "self", href: `${volumeBase(asked)}/backups/${id}` },
  { rel: "bookmark", href: `${volumeBase(asked).replace("/v3/", "/")}/backups/${id}` }
]

const summary = (asked: Asked, backup: Backup) => ({
  id: backup.id,
  name: backup.name,
  links: linksOf(asked, backup)
})

const detail = (asked: Asked, backup: Backup) => ({
  ...summary(asked, backup),
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
  created_at: stamp(backup.created_at),
  updated_at: backup.updated_at === null ? null : stamp(backup.updated_at),
  ...(asked.scope.admin ? { "os-backup-project-attr:project_id": backup.project_id } : {})
})

const list =
  (view: (asked: Asked, backup: Backup) => unknown, path: string) =>
  (asked: Asked): Answer => {
    const { query, world } = asked
    const found = listed(asked, world.cinder.backups)
    const page = pageOf(
      asked,
      found.filter((_) => !query.has("volume_id") || _.volume_id === query.get("volume_id"))
    )
    if (isAnswer(page)) return page
    const next = { rel: "next", href: `${volumeBase(asked)}/${path}?${page.next}` }
    return json(200, {
      backups: page.items.map((_) => view(asked, _)),
      ...(page.next === undefined ? {} : { backups_links: [next] })
    })
  }

/** The 413 of one backup too many, or of one that is too large; the backups' gigabytes are not the volumes'. */
const crowded = ({ world }: Asked, { project_id, size }: Volume): Answer | undefined => {
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

const create = (asked: Asked): Answer => {
  const { json: body, now, scope, world } = asked
  if (!has(body, "backup")) return badRequest("'backup' is a required property")
  const given = objectAt(body, "backup")
  const [volumeId, snapshotId] = [stringAt(given, "volume_id"), stringAt(given, "snapshot_id")]
  if (volumeId === undefined) return badRequest("'volume_id' is a required property")
  const volume = volumeFor(asked, scope, volumeId)
  if (volume === undefined) return noVolume(volumeId)
  const snapshot = snapshotId === undefined ? undefined : snapshotFor(asked, scope, snapshotId)
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
  const refused = crowded(asked, volume)
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
  return json(202, { backup: summary(asked, backup) })
}

const ofBackup =
  (handler: (asked: Asked, backup: Backup) => Answer) =>
  (asked: Asked): Answer => {
    const { params, scope, world } = asked
    const id = params["id"] ?? ""
    const backup = world.cinder.backups[id]
    return backup === undefined || (!scope.admin && backup.project_id !== scope.projectId)
      ? notFound(`Backup ${id} could not be found.`)
      : handler(asked, backup)
  }

const remove = ofBackup(({ now }, backup) => {
  if (!["available", "error"].includes(backup.status)) {
    return badRequest("Invalid backup: Backup status must be available or error")
  }
  backup.status = "deleting"
  backup.due = { at: now + volumeDelay, status: "deleted" }
  return empty(202)
})

/** The volume that a restore makes when it is given none. */
const newVolume = ({ now, scope, world }: Asked, backup: Backup, name: string): Volume => {
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

const restore = ofBackup((asked, backup) => {
  if (!has(asked.json, "restore")) return badRequest("'restore' is a required property")
  const given = objectAt(asked.json, "restore")
  const wanted = stringAt(given, "volume_id")
  if (backup.status !== "available") return badRequest("Invalid backup: Backup status must be available")
  if (wanted === undefined) {
    const type = asked.world.cinder.volumes[backup.volume_id]?.volume_type ?? "__DEFAULT__"
    const refused = overQuota(asked.world, asked.scope.projectId, { volumes: 1, gigabytes: backup.size }, type)
    if (refused !== undefined) return refused
  }
  const found = wanted === undefined ? undefined : volumeFor(asked, asked.scope, wanted)
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
  const volume = found ?? newVolume(asked, backup, name)
  const due = { at: asked.now + volumeDelay, status: "available" }
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
    ofBackup((asked, backup) => json(200, { backup: detail(asked, backup) }))
  ),
  "POST /v3/:project/backups": memberRoute("backup:create", create),
  "DELETE /v3/:project/backups/:id": memberRoute("backup:delete", remove),
  "POST /v3/:project/backups/:id/restore": memberRoute("backup:restore", restore)
}
