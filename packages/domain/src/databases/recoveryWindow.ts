import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { DateTime, Duration, Effect, Option } from "effect"
import { backupOf } from "./backup.ts"
import { at, stringAt } from "./fields.ts"

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
