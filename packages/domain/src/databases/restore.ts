import type { DatabaseRestore } from "@portico/contract/Databases"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { DateTime, Effect } from "effect"
import { Archives, bucketIn, objectStore } from "./Archives.ts"
import { backupOf, recoverable, serverNameOf } from "./backups.ts"
import { sizeOf } from "./ceilings.ts"
import { changingDatabases, type DatabaseRef, databaseRefOf, refused } from "./database.ts"
import { makePostgres } from "./create.ts"
import { at, bytesOf, gibOf, stringAt, wholeAt } from "../kubernetes/fields.ts"
import { partsAt } from "./record.ts"
import { recoveryTargetTime } from "./recoveryTarget.ts"

/**
 * Creates a new database from the archive of another one, which stays unchanged (contract, Managed
 * databases): up to a point in time, or to the archive's end. It runs the source's version, has its
 * own archive with the source's schedule, and gets its own password.
 *
 * @returns the new database's record, `pending`
 *
 * Errors: 404 for an unknown source; 422 for kafka, for a source without backups, before its
 * recovery window, and for less storage than it has; 409 before its first backup is complete, after
 * what is archived, and for a name that is taken; the refusals of a create; 502.
 */
export const restoreDatabase = Effect.fn("databases.restore")(
  function* (projectId: string, path: { readonly engine: string; readonly name: string }, request: DatabaseRestore) {
    const source = yield* databaseRefOf(projectId, path.engine, path.name)
    return yield* changingDatabases(projectId, restore(source, request))
  },
  (effect) => Effect.catchTags(effect, { UpstreamError: refused })
)

const restore = Effect.fnUntraced(function* (source: DatabaseRef, request: DatabaseRestore) {
  const { cluster } = yield* partsAt(source)
  if (cluster === undefined) return yield* Unprocessable.kafkaRestore()
  const settings = backupOf(cluster)
  const serverName = serverNameOf(cluster)
  const bucket = bucketIn(cluster)
  if (settings === null || serverName === undefined || bucket === undefined)
    return yield* Unprocessable.backupsNotEnabled(source.name)
  const targetTime = yield* targetOf(source, cluster, request.to_point_in_time)
  const held = gibOf(bytesOf(sizeOf(at(cluster, "spec", "storage"))))
  const size_gb = request.size_gb ?? held
  if (size_gb < held) return yield* Unprocessable.restoreTooSmall(size_gb, held)
  const archive = { ...(yield* Archives), bucket }

  return yield* makePostgres(source.projectId, {
    name: request.name,
    // Another major version cannot read this one's files, and another minor version would be an upgrade without a
    // request.
    image: stringAt(cluster, "spec", "imageName") ?? "",
    size_gb,
    replicas: request.replicas ?? wholeAt(cluster, "spec", "instances") ?? 1,
    backup: settings,
    recovery: {
      bootstrap: {
        recovery: {
          source: source.name,
          ...applicationOf(cluster),
          ...(targetTime === undefined ? {} : { recoveryTarget: { targetTime } })
        }
      },
      externalClusters: [{ name: source.name, barmanObjectStore: objectStore(archive, serverName) }]
    }
  })
})

/** The database and its owner must be named again: CloudNativePG gives that owner a new password. */
const applicationOf = (cluster: KubernetesObject) => {
  const bootstrap = at(cluster, "spec", "bootstrap")
  const how = at(bootstrap, "recovery") ?? at(bootstrap, "initdb")
  return { database: stringAt(how, "database") ?? "app", owner: stringAt(how, "owner") ?? "app" }
}

/**
 * The recovery target's time. Without a point in time there is no target at all: a recovery whose
 * target lies after the last change never ends.
 */
const targetOf = Effect.fnUntraced(function* (
  source: DatabaseRef,
  cluster: KubernetesObject,
  point: string | undefined
) {
  const { window } = yield* recoverable(cluster)
  if (window === undefined) return yield* Conflict.noBackupYet(source.name)
  if (point === undefined) return undefined
  const moment = DateTime.makeUnsafe(point)
  if (DateTime.between(moment, { minimum: window.earliest, maximum: window.latest })) return recoveryTargetTime(point)
  const ends = [
    DateTime.formatIso(moment),
    DateTime.formatIso(window.earliest),
    DateTime.formatIso(window.latest)
  ] as const
  return DateTime.isLessThan(moment, window.earliest)
    ? yield* Unprocessable.outsideRecoveryWindow(...ends)
    : yield* Conflict.recoveryPointNotArchived(...ends)
})
