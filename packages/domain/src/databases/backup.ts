import { defaultRetentionDays } from "@portico/contract/BackupSchedule"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { labelsOf } from "../kubernetes/ownership.ts"
import { type Archive, archiveOf, handKey, objectStore } from "./archive.ts"
import { stringAt } from "./fields.ts"

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
