import { Effect, Schema } from "effect"
import { kindOf, type Table } from "../projectResources/listing.ts"
import type { Kind } from "../projectResources/Kind.ts"
import { controlled } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"

/** The first microversion in which a backup names its project. */
const version = { "openstack-api-version": "volume 3.59" }

const common = {
  service: "volume",
  query: (projectId: string) => ({ all_tenants: "1", project_id: projectId }),
  headers: () => version,
  paging: { by: "marker", limit: 500 }
} as const

const named = { id: Schema.String, name: Schema.NullOr(Schema.String), status: Schema.String }
const isGoing = (status: string): boolean => status === "deleting"

const volumeProject = "os-vol-tenant-attr:tenant_id"
const Volume = Schema.Struct({ ...named, [volumeProject]: Schema.String })
const volumes: Table<typeof Volume.Type> = {
  ...common,
  name: "volumes",
  path: "/volumes/detail",
  collection: "volumes",
  billed: "volume",
  item: Volume,
  toListed: ({ id, name, status, ...volume }) => ({ id, name, project: volume[volumeProject], busy: isGoing(status) })
}

const snapshotProject = "os-extended-snapshot-attributes:project_id"
const Snapshot = Schema.Struct({ ...named, [snapshotProject]: Schema.String })
const snapshots: Table<typeof Snapshot.Type> = {
  ...common,
  name: "snapshots",
  path: "/snapshots/detail",
  collection: "snapshots",
  item: Snapshot,
  toListed: ({ id, name, status, ...snapshot }) => ({
    id,
    name,
    project: snapshot[snapshotProject],
    busy: isGoing(status)
  })
}

const backupProject = "os-backup-project-attr:project_id"
const Backup = Schema.Struct({ ...named, [backupProject]: Schema.String })
const backups: Table<typeof Backup.Type> = {
  ...common,
  name: "backups",
  path: "/backups/detail",
  collection: "backups",
  item: Backup,
  toListed: ({ id, name, status, ...backup }) => ({ id, name, project: backup[backupProject], busy: isGoing(status) })
}

const Transfer = Schema.Struct({ id: Schema.String, name: Schema.NullOr(Schema.String), volume_id: Schema.String })
/** A transfer names its volume, but not in every release its project. */
const transfersOf = (own: ReadonlySet<string>): Table<typeof Transfer.Type> => ({
  ...common,
  name: "transfers",
  path: "/os-volume-transfer/detail",
  collection: "transfers",
  query: () => ({ all_tenants: "1" }),
  item: Transfer,
  toListed: ({ id, name, volume_id }, projectId) => ({ id, name, project: own.has(volume_id) ? projectId : undefined })
})

/** Volumes and the resources that depend on them. */
export const cinderResources = Effect.gen(function* () {
  const sessions = yield* Sessions
  const cinder = yield* controlled("cinder", "volume")
  const system = () => cinder
  // The path starts with the caller's own project.
  const prefix = Effect.map(sessions.controlProjectId, (own) => `/${own}`)

  const volumesKind = kindOf(volumes, { system, prefix })
  const transfers: Kind = {
    ...kindOf(transfersOf(new Set()), { system, prefix }),
    list: Effect.fnUntraced(function* (projectId) {
      const own = yield* volumesKind.list(projectId)
      if (own.length === 0) return []
      return yield* kindOf(transfersOf(new Set(own.map((_) => _.id))), { system, prefix }).list(projectId)
    })
  }
  return {
    volumes: volumesKind,
    snapshots: kindOf(snapshots, { system, prefix }),
    backups: kindOf(backups, { system, prefix }),
    transfers
  }
})
