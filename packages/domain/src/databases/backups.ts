import { defaultRetentionDays } from "@portico/contract/BackupSchedule"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { DateTime, Duration, Effect, Option } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { labelsOf } from "../kubernetes/ownership.ts"
import type { DatabaseRef } from "./database.ts"
import { withinBounds } from "./holdings.ts"
import { type Archive, archiveOf, handKey, objectStore } from "./Archives.ts"
import { listAt, stringAt } from "../kubernetes/fields.ts"

/** The `backup` block of a request. */
export interface BackupRequest {
  readonly enabled: boolean
  readonly schedule?: string | undefined
  readonly retention_days?: number | undefined
}

/** The `backup` block with its defaults. */
export interface BackupSettings {
  /** Six fields, seconds first, in UTC. */
  readonly schedule: string
  readonly retention_days: number
}

/** A database's tenant, namespace and name. */
type DatabaseLocation = Omit<DatabaseRef, "engine">

/** What backups add to a `Cluster`. */
export interface BackupStanza {
  /** The record reads the schedule from them, so a list needs no object besides the clusters. */
  readonly annotations: Readonly<Record<string, string>>
  /** Merged into the cluster's `spec`. */
  readonly spec: Readonly<Record<"backup" | "env", unknown>>
}

const scheduleNote = "portico/backup-schedule"

/** The label that selects a database's schedules, whatever their names. */
const ofDatabase = "portico/database"

/** The settings that a request asks for; undefined for a database without backups. */
export const backupSettings = (
  { name, projectId }: Pick<DatabaseLocation, "name" | "projectId">,
  backup: BackupRequest | undefined
): BackupSettings | undefined =>
  backup?.enabled === true
    ? {
        schedule: backup.schedule ?? defaultSchedule(projectId, name),
        retention_days: backup.retention_days ?? defaultRetentionDays
      }
    : undefined

/**
 * Once a day between one and five in the morning, UTC. The exact time derives from the name, so
 * backups do not all start at once.
 */
export const defaultSchedule = (projectId: string, name: string): string => {
  const minutes = createHash("sha256").update(`${projectId}/${name}`).digest().readUInt32BE() % 240
  return `0 ${minutes % 60} ${1 + Math.floor(minutes / 60)} * * *`
}

/** The backup settings of an existing database, as its `Cluster` has them; null without backups. */
export const backupOf = (cluster: KubernetesObject) => {
  const days = /^(\d+)d$/.exec(stringAt(cluster, "spec", "backup", "retentionPolicy") ?? "")?.[1]
  const schedule = stringAt(cluster, "metadata", "annotations", scheduleNote)
  return days === undefined || schedule === undefined ? null : { enabled: true, schedule, retention_days: Number(days) }
}

/** What a database's backups need before anything of the database exists. */
export interface PreparedBackup {
  readonly settings: BackupSettings
  readonly archive: Archive
}

/**
 * Prepares the backups before anything else of a database is created, so a failure here (no room
 * for the archive's bucket, a failing object gateway) leaves the cluster untouched. Undefined for a
 * database without backups.
 *
 * Errors: as {@link archiveOf}.
 */
export const prepareBackup = Effect.fnUntraced(function* (projectId: string, settings: BackupSettings | undefined) {
  if (settings === undefined) return undefined
  return { settings, archive: yield* archiveOf(projectId) } satisfies PreparedBackup
})

/**
 * Creates a cluster with its backups: first the archive's key, then the schedule, then the cluster.
 * An interruption before the last call leaves a schedule without its cluster (CloudNativePG retries
 * its backup every 30 seconds), which the next create of the name or `sweepSchedules` removes; it is
 * removed here when the cluster is refused.
 *
 * @param prepared undefined for a cluster without backups
 * @param make applies the `Cluster`, with the given stanza
 *
 * Runs under the lease of the tenant's databases, in an existing namespace.
 *
 * Errors: UpstreamError.
 */
export const withBackup = Effect.fn("databases.withBackup")(function* <A, R>(
  ref: DatabaseLocation,
  prepared: PreparedBackup | undefined,
  make: (stanza: BackupStanza | undefined) => Effect.Effect<A, UpstreamError, R>
) {
  // Removes the schedule of an earlier life or of an interrupted create: two schedules would make every backup twice.
  yield* removeSchedule(ref)
  if (prepared === undefined) return yield* make(undefined)
  const { archive, settings } = prepared
  yield* handKey(ref, archive)
  const life = `${ref.name}-${randomUUID().slice(0, 8)}`
  const both = Effect.andThen(applySchedule(ref, settings, life), make(stanzaOf(archive, settings, life)))
  return yield* Effect.tapError(both, (error) =>
    error.unsettled
      ? Effect.void
      : Effect.ignore(dropSchedule(ref, life), { log: "Warn", message: "a backup schedule could not be removed" })
  )
})

/**
 * @param life names the folder in the archive. A second life of the same name must not find the
 * first life's write-ahead log there: CloudNativePG refuses an archive that is not empty.
 */
const stanzaOf = (archive: Archive, settings: BackupSettings, life: string): BackupStanza => ({
  annotations: { [scheduleNote]: settings.schedule },
  spec: {
    backup: {
      retentionPolicy: `${settings.retention_days}d`,
      barmanObjectStore: {
        ...objectStore(archive, life),
        wal: { compression: "gzip" },
        data: { compression: "gzip" }
      }
    },
    // Newer S3 libraries send checksums that object stores other than Amazon's refuse.
    env: [
      { name: "AWS_REQUEST_CHECKSUM_CALCULATION", value: "when_required" },
      { name: "AWS_RESPONSE_CHECKSUM_VALIDATION", value: "when_required" }
    ]
  }
})

/**
 * The schedule's name derives from the life and not from the database: CloudNativePG finds a
 * schedule's backups by its name, and would mistake an earlier life's immediate backup for this
 * one's.
 *
 * The backups have no owner, so the list of backups stays when the schedule and the cluster are
 * deleted: it says what the remaining archive contains.
 */
const applySchedule = Effect.fnUntraced(function* (
  { name, namespace, projectId }: DatabaseLocation,
  { schedule }: BackupSettings,
  life: string
) {
  yield* (yield* Kubernetes).apply(
    kinds.scheduledBackup,
    { namespace, name: life },
    {
      labels: { ...labelsOf(projectId), [ofDatabase]: name },
      fields: {
        spec: {
          schedule,
          immediate: true,
          backupOwnerReference: "none",
          method: "barmanObjectStore",
          cluster: { name }
        }
      }
    }
  )
})

/** A refused cluster may exist all the same, when only the response reported the failure. */
const dropSchedule = Effect.fnUntraced(function* ({ name, namespace }: DatabaseLocation, life: string) {
  const kubernetes = yield* Kubernetes
  if ((yield* kubernetes.find(kinds.cluster, { namespace, name })) !== undefined) return
  yield* kubernetes.remove(kinds.scheduledBackup, { namespace, name: life })
})

/**
 * Removes the database's schedule, so nothing new is written to its archive; succeeds when there is
 * none. The archive and the list of its backups stay. Repeatable.
 */
export const removeSchedule = Effect.fn("databases.removeSchedule")(function* ({
  name,
  namespace
}: Pick<DatabaseLocation, "name" | "namespace">) {
  const kubernetes = yield* Kubernetes
  const schedules = yield* kubernetes.list(kinds.scheduledBackup, {
    namespace,
    labelSelector: `${ofDatabase}=${name}`
  })
  yield* Effect.forEach(
    schedules.flatMap((_) => _.metadata.name ?? []),
    (schedule) => kubernetes.remove(kinds.scheduledBackup, { namespace, name: schedule }),
    { concurrency: "unbounded", discard: true }
  )
})

/** The longest time before a write-ahead log file is archived: CloudNativePG's `archive_timeout`. */
const archiveLag = Duration.minutes(5)

/** The range of points to which a database can be restored. */
export interface RecoveryWindow {
  /** The first whole second after the end of the oldest base backup. */
  readonly earliest: DateTime.Utc
  /** The latest point that is certainly in the archive by now. */
  readonly latest: DateTime.Utc
  /** Whether the write-ahead log currently reaches the archive. */
  readonly archiving: boolean
}

/** The detail's `backup`: the settings with the recovery window; null for a database without backups. */
export const backupView = Effect.fn("databases.backupView")(function* (cluster: KubernetesObject) {
  const settings = backupOf(cluster)
  if (settings === null) return null
  const { completed, window } = yield* recoverable(cluster)
  return {
    ...settings,
    earliest_recovery_point: window === undefined ? null : DateTime.formatIso(window.earliest),
    latest_recovery_point: window?.archiving === true ? DateTime.formatIso(window.latest) : null,
    last_successful_at: completed === undefined ? null : DateTime.formatIso(completed)
  }
})

/**
 * The most backups that one call reads, a hundred thousand. The gateway's schedules make up to 24 a day for each database,
 * and backups outlive their database. Where tenants may create backups themselves, nothing else bounds them.
 */
const mostBackups = { limit: 250, pages: 400 }

/** The end of the newest completed backup, scheduled or not, and the window; undefined while there is none. */
export const recoverable = Effect.fn("databases.recoverable")(function* (cluster: KubernetesObject) {
  const namespace = stringAt(cluster, "metadata", "namespace") ?? ""
  const completed = yield* withinBounds(
    (yield* Kubernetes).fold(
      kinds.backup,
      { namespace, ...mostBackups },
      momentAt(cluster, "status", "lastSuccessfulBackup"),
      (latest, _) => (isCompleted(_, cluster) ? laterOf(latest, momentAt(_, "status", "stoppedAt")) : latest)
    )
  )
  const first = momentAt(cluster, "status", "firstRecoverabilityPoint")
  const earliest = first === undefined ? undefined : nextSecond(first)
  const now = yield* DateTime.now
  return {
    completed,
    window: completed === undefined || earliest === undefined ? undefined : windowOf(cluster, earliest, completed, now)
  }
})

/**
 * The operator writes the end of a base backup without its fraction of a second, and begins no recovery with a backup
 * that ended after the target (barman-cloud v0.3.3, `findClosestBackupFromTargetTime`): the written second is too early.
 */
const nextSecond = (moment: DateTime.Utc): DateTime.Utc =>
  DateTime.add(DateTime.startOf(moment, "second"), { seconds: 1 })

/** While the write-ahead log does not reach the archive, only the newest backup is certain. */
const windowOf = (
  cluster: KubernetesObject,
  earliest: DateTime.Utc,
  completed: DateTime.Utc,
  now: DateTime.Utc
): RecoveryWindow => {
  const archiving = isArchiving(cluster)
  const archived = archiving ? DateTime.subtractDuration(now, archiveLag) : completed
  return { earliest, latest: DateTime.max(earliest, archived), archiving }
}

const isArchiving = (cluster: KubernetesObject): boolean =>
  listAt(cluster, "status", "conditions").some(
    (_) => stringAt(_, "type") === "ContinuousArchiving" && stringAt(_, "status") === "True"
  )

/**
 * Whether a backup of this life of the cluster is complete. Backups of an earlier life stay in the
 * list, but went to another folder. A backup without a folder, such as a volume snapshot, belongs
 * to this life when it is not older.
 */
const isCompleted = (backup: KubernetesObject, cluster: KubernetesObject): boolean => {
  if (stringAt(backup, "spec", "cluster", "name") !== cluster.metadata.name) return false
  if (stringAt(backup, "status", "phase") !== "completed") return false
  const folder = stringAt(backup, "status", "serverName")
  if (folder !== undefined) return folder === serverNameOf(cluster)
  const [made, born] = [momentAt(backup, ...created), momentAt(cluster, ...created)]
  return made !== undefined && born !== undefined && DateTime.isGreaterThanOrEqualTo(made, born)
}

const created = ["metadata", "creationTimestamp"] as const

/** The folder in the archive that belongs to this life of the cluster. */
export const serverNameOf = (cluster: KubernetesObject): string | undefined =>
  stringAt(cluster, "spec", "backup", "barmanObjectStore", "serverName")

const momentAt = (object: unknown, ...path: ReadonlyArray<string>): DateTime.Utc | undefined => {
  const text = stringAt(object, ...path)
  return text === undefined ? undefined : Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toUtc))
}

const laterOf = (a: DateTime.Utc | undefined, b: DateTime.Utc | undefined): DateTime.Utc | undefined =>
  a === undefined || b === undefined ? (a ?? b) : DateTime.max(a, b)
