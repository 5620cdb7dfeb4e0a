import { defaultRetentionDays } from "@portico/contract/BackupSchedule"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { DateTime, Duration, Effect, Option } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { labelsOf } from "../kubernetes/ownership.ts"
import { archiveOf, handKey, objectStore, type Archive } from "./Archives.ts"
import { at, stringAt } from "./fields.ts"

/** What the `backup` block of a request asks for. */
export interface BackupRequest {
  readonly enabled: boolean
  readonly schedule?: string | undefined
  readonly retention_days?: number | undefined
}

/** The block with everything said. */
export interface BackupSettings {
  /** Six fields, seconds first, in UTC. */
  readonly schedule: string
  readonly retention_days: number
}

/** Whose database it is, and where. */
export interface DatabasePlace {
  readonly projectId: string
  readonly namespace: string
  readonly name: string
}

/** What backups add to a `Cluster`. */
export interface BackupStanza {
  /** In them the record finds the schedule, so that a list needs no other object than the clusters. */
  readonly annotations: Readonly<Record<string, string>>
  /** Beside the rest of the cluster's `spec`. */
  readonly spec: Readonly<Record<"backup" | "env", unknown>>
}

const scheduleNote = "portico/backup-schedule"

/** The label by which a database's schedules are found, whatever they are called. */
const ofDatabase = "portico/database"

/** What a request asks for; undefined for a database without backups. */
export const backupSettings = (
  { name, projectId }: Pick<DatabasePlace, "name" | "projectId">,
  backup: BackupRequest | undefined
): BackupSettings | undefined =>
  backup?.enabled === true
    ? {
        schedule: backup.schedule ?? defaultSchedule(projectId, name),
        retention_days: backup.retention_days ?? defaultRetentionDays
      }
    : undefined

/** Once a day between one and five in the morning, UTC; when exactly follows from the name, so that not all start at once. */
export const defaultSchedule = (projectId: string, name: string): string => {
  const minutes = createHash("sha256").update(`${projectId}/${name}`).digest().readUInt32BE() % 240
  return `0 ${minutes % 60} ${1 + Math.floor(minutes / 60)} * * *`
}

/** The settings of a database that is there, as far as they are in its `Cluster`; null without backups. */
export const backupOf = (cluster: KubernetesObject) => {
  const days = /^(\d+)d$/.exec(stringAt(cluster, "spec", "backup", "retentionPolicy") ?? "")?.[1]
  const schedule = stringAt(cluster, "metadata", "annotations", scheduleNote)
  return days === undefined || schedule === undefined ? null : { enabled: true, schedule, retention_days: Number(days) }
}

/** What a database's backups need and have before anything of the database is there. */
export interface PreparedBackup {
  readonly settings: BackupSettings
  readonly archive: Archive
}

/**
 * What comes before everything else of a database with backups, so that what
 * refuses here (no room for the archive's bucket, an object gateway that fails)
 * leaves the cluster untouched. Undefined for a database without backups.
 *
 * Errors: as {@link archiveOf}.
 */
export const prepareBackup = Effect.fnUntraced(function* (projectId: string, settings: BackupSettings | undefined) {
  if (settings === undefined) return undefined
  return { settings, archive: yield* archiveOf(projectId) } satisfies PreparedBackup
})

/**
 * Makes a cluster with its backups: the archive's key first, then the schedule,
 * and the cluster last. What is cut short before that last call leaves nothing
 * that counts, and the next create of the name begins anew; a schedule without
 * its cluster waits (CloudNativePG tries its backup again every 30 seconds), and
 * is removed here when the cluster was refused.
 *
 * @param prepared undefined for a cluster without backups
 * @param make applies the `Cluster` with what is added to it
 *
 * Under the lease of the tenant's databases, in a namespace that is there.
 *
 * Errors: UpstreamError.
 */
export const withBackup = Effect.fn("databases.withBackup")(function* <A, R>(
  place: DatabasePlace,
  prepared: PreparedBackup | undefined,
  make: (stanza: BackupStanza | undefined) => Effect.Effect<A, UpstreamError, R>
) {
  // Of another life, or of a create that was cut short: two schedules would make every backup twice.
  yield* removeSchedule(place)
  if (prepared === undefined) return yield* make(undefined)
  const { archive, settings } = prepared
  yield* handKey(place, archive)
  const life = `${place.name}-${randomUUID().slice(0, 8)}`
  const both = Effect.andThen(applySchedule(place, settings, life), make(stanzaOf(archive, settings, life)))
  return yield* Effect.tapError(both, (error) =>
    error.unsettled ? Effect.void : Effect.ignore(dropSchedule(place, life), { log: "Warn" })
  )
})

/**
 * @param life names the folder of the archive. A second life of the same name
 *   must not find the first one's write-ahead log there: CloudNativePG stops at
 *   an archive that is not empty.
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
    // Newer S3 libraries send checksums that other object stores than Amazon's refuse.
    env: [
      { name: "AWS_REQUEST_CHECKSUM_CALCULATION", value: "when_required" },
      { name: "AWS_RESPONSE_CHECKSUM_VALIDATION", value: "when_required" }
    ]
  }
})

/**
 * The schedule is named after the life and not after the database: CloudNativePG
 * knows a schedule's backups by its name, and would take an earlier life's
 * immediate backup for this one's.
 *
 * The backups have no owner, so that their list stays when the schedule and the
 * cluster go: it says what is in the archive that is left.
 */
const applySchedule = Effect.fnUntraced(function* (
  { name, namespace, projectId }: DatabasePlace,
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

/** A cluster whose making was refused may be there all the same, when only the answer said so. */
const dropSchedule = Effect.fnUntraced(function* ({ name, namespace }: DatabasePlace, life: string) {
  const kubernetes = yield* Kubernetes
  if ((yield* kubernetes.find(kinds.cluster, { namespace, name })) !== undefined) return
  yield* kubernetes.remove(kinds.scheduledBackup, { namespace, name: life })
})

/**
 * Removes the database's schedule, so that nothing new is written to its
 * archive; silent when there is none. The archive and the list of what is in it
 * stay. Repeatable.
 */
export const removeSchedule = Effect.fn("databases.removeSchedule")(function* ({
  name,
  namespace
}: Pick<DatabasePlace, "name" | "namespace">) {
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

/** A write-ahead log file is archived after this time at the latest: CloudNativePG's `archive_timeout`. */
const archiveLag = Duration.minutes(5)

/** What can be restored of a database. */
export interface RecoveryWindow {
  /** The end of the oldest base backup. */
  readonly earliest: DateTime.Utc
  /** What is sure to be in the archive by now. */
  readonly latest: DateTime.Utc
  /** Whether the write-ahead log reaches the archive at present. */
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

/** The end of the newest completed backup, whoever asked for it, and the window; undefined while there is none. */
export const recoverable = Effect.fn("databases.recoverable")(function* (cluster: KubernetesObject) {
  const namespace = stringAt(cluster, "metadata", "namespace") ?? ""
  const backups = yield* (yield* Kubernetes).list(kinds.backup, { namespace })
  const ends = backups.filter((_) => isCompleted(_, cluster)).map((_) => momentAt(_, "status", "stoppedAt"))
  const completed = latestOf([...ends, momentAt(cluster, "status", "lastSuccessfulBackup")])
  const earliest = momentAt(cluster, "status", "firstRecoverabilityPoint")
  const now = yield* DateTime.now
  return {
    completed,
    window: completed === undefined || earliest === undefined ? undefined : windowOf(cluster, earliest, completed, now)
  }
})

/** While nothing reaches the archive, only what the newest backup brought there is sure. */
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

const isArchiving = (cluster: KubernetesObject): boolean => {
  const conditions = at(cluster, "status", "conditions")
  return (
    Array.isArray(conditions) &&
    conditions.some((_) => stringAt(_, "type") === "ContinuousArchiving" && stringAt(_, "status") === "True")
  )
}

/**
 * Of this life of the cluster. The backups of an earlier one stay in the list;
 * they went to another folder of the archive. What is no folder of an archive,
 * such as a volume snapshot, is this life's when it is not older.
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

/** The folder of the archive in which this life of the cluster keeps everything. */
export const serverNameOf = (cluster: KubernetesObject): string | undefined =>
  stringAt(cluster, "spec", "backup", "barmanObjectStore", "serverName")

const momentAt = (object: unknown, ...path: ReadonlyArray<string>): DateTime.Utc | undefined => {
  const text = stringAt(object, ...path)
  return text === undefined ? undefined : Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toUtc))
}

const latestOf = (moments: ReadonlyArray<DateTime.Utc | undefined>): DateTime.Utc | undefined =>
  moments.reduce<DateTime.Utc | undefined>(
    (latest, _) => (_ === undefined ? latest : latest === undefined ? _ : DateTime.max(latest, _)),
    undefined
  )
