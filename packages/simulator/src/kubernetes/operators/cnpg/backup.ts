import { Result } from "effect"
import { type JsonObject, numberAt, objectAt, stringAt } from "../../../Json.ts"
import { toSecondsUtc } from "../../../times.ts"
import { parseQuantity } from "../../quantity.ts"
import type { Thing } from "../../state.ts"
import { find, inNamespace, schedule } from "../../store.ts"
import { conditionOf, withCondition, withoutCondition } from "../conditions.ts"
import { record } from "../events.ts"
import { timing } from "../timing.ts"
import { requeue, removeThing, type Pass, writeStatus } from "../writes.ts"
import {
  type Archive,
  type BaseBackup,
  backupsIn,
  putBackup,
  putWal,
  retain,
  serverNameOf,
  walName
} from "./archive.ts"
import { type Database, openOwn, storeOf } from "./bootstrap.ts"
import { isReady, partsOf } from "./instances.ts"
import { backups, clusters, imageOf, majorOf, specOf, statusOf } from "./names.ts"
import { primaryOf } from "./report.ts"

const databaseOf = (pass: Pass, cluster: Thing): Database | undefined => {
  const disk = pass.state.disks[cluster.metadata.uid]
  if (disk === undefined) return undefined
  return {
    systemId: stringAt(disk, "systemId") ?? "",
    timeline: numberAt(disk, "timeline") ?? 1,
    segment: numberAt(disk, "segment") ?? 1
  }
}

/** Archives the current WAL segment and begins the next. */
const archiveSegment = (pass: Pass, cluster: Thing, archive: Archive, database: Database) =>
  Result.map(putWal(archive, walName(database.timeline, database.segment), pass.now), () => {
    pass.state.disks[cluster.metadata.uid] = { ...database, segment: database.segment + 1 }
  })

const type = "ContinuousArchiving"

const archiving = (message: string | undefined) =>
  message === undefined
    ? ({ status: "True", reason: "ContinuousArchivingSuccess", message: "Continuous archiving is working" } as const)
    : ({ status: "False", reason: "ContinuousArchivingFailing", message } as const)

const write = (pass: Pass, cluster: Thing, status: JsonObject): Thing => writeStatus(pass, clusters, cluster, status)

/** Rereads a cluster, because an earlier step may have written to it. */
const again = (pass: Pass, cluster: Thing): Thing =>
  find(pass.state, clusters, cluster.metadata.namespace, cluster.metadata.name) ?? cluster

/**
 * The WAL archiver of a cluster's primary, every five minutes: the simulated database always has writes. It
 * retries while the archive refuses.
 */
export const archiveLog = (pass: Pass, cluster: Thing): void => {
  const store = storeOf(cluster)
  const database = databaseOf(pass, cluster)
  if (store === undefined || database === undefined) {
    void write(pass, cluster, withoutCondition(statusOf(cluster), type))
    return
  }
  const running = partsOf(pass, cluster).instances.some((_) => isReady(_) && _.name === primaryOf(cluster))
  const done = running
    ? Result.flatMap(openOwn(pass, cluster, store), (_) => archiveSegment(pass, cluster, _, database))
    : undefined
  const message = done !== undefined && Result.isFailure(done) ? done.failure : undefined
  schedule(pass.state, clusters, cluster, pass.now + (message === undefined ? timing.archive : timing.retry), "archive")
  if (done === undefined) return
  const condition = { type, ...archiving(message) }
  const known = conditionOf(statusOf(cluster), type)
  if (known?.["status"] === condition.status && known["message"] === condition.message) return
  void write(pass, cluster, withCondition(statusOf(cluster), condition, pass.now))
}

const clusterOf = (pass: Pass, backup: Thing): Thing | undefined => {
  const name = stringAt(objectAt(specOf(backup), "cluster"), "name") ?? ""
  return find(pass.state, clusters, backup.metadata.namespace, name)
}

const failed = (pass: Pass, backup: Thing, error: string, more: JsonObject = {}): void => {
  void writeStatus(pass, backups, backup, { ...statusOf(backup), ...more, phase: "failed", error })
}

/** Reconciles a `Backup`: pending, started, running, then completed or failed. */
export const reconcileBackup = (pass: Pass, backup: Thing): void => {
  const phase = stringAt(statusOf(backup), "phase") ?? ""
  if (backup.metadata.deletionTimestamp !== undefined || phase === "failed" || phase === "completed") return
  const cluster = clusterOf(pass, backup)
  const method = stringAt(specOf(backup), "method") ?? "barmanObjectStore"
  if (cluster === undefined) {
    const name = stringAt(objectAt(specOf(backup), "cluster"), "name") ?? ""
    record(pass, backup, "Warning", "FindingCluster", `Unknown cluster ${name}, will retry in 30 seconds`)
    return requeue(pass, backups, backup, timing.backupRetry)
  }
  if (method === "plugin") {
    const message = "cannot proceed with the backup as the cluster has no backup executor plugin enabled"
    record(pass, backup, "Warning", "ClusterHasNoBackupExecutorPlugin", message)
    return failed(pass, backup, message)
  }
  if (specOf(cluster)["backup"] === undefined) {
    const message = "cannot proceed with the backup as the cluster has no backup section"
    record(pass, backup, "Warning", "ClusterHasBackupConfigured", message)
    return failed(pass, backup, message)
  }
  const store = storeOf(cluster)
  if (store === undefined) return failed(pass, backup, "no barmanObjectStore section defined on the target cluster")
  return perform(pass, backup, cluster, store)
}

const perform = (pass: Pass, backup: Thing, cluster: Thing, store: JsonObject): void => {
  const status = statusOf(backup)
  if (status["phase"] === "started") return run(pass, backup, cluster, store)
  if (status["phase"] === "running") {
    const due = Date.parse(String(status["startedAt"])) + timing.backupTakes
    return pass.now < due ? requeue(pass, backups, backup, due - pass.now) : complete(pass, backup, cluster, store)
  }
  const primary = partsOf(pass, cluster).instances.find((_) => _.name === primaryOf(cluster))
  if (primary === undefined || !isReady(primary)) {
    record(pass, backup, "Warning", "BackupPending", `Backup target pod not ready: ${primaryOf(cluster) ?? ""}`)
    void writeStatus(pass, backups, backup, { ...status, phase: "pending" })
    return requeue(pass, backups, backup, timing.backupRetry)
  }
  record(pass, backup, "Normal", "Starting", `Starting backup for cluster ${cluster.metadata.name}`)
  void writeStatus(pass, backups, backup, {
    ...status,
    phase: "started",
    method: "barmanObjectStore",
    instanceID: { podName: primary.name },
    destinationPath: store["destinationPath"],
    endpointURL: store["endpointURL"],
    s3Credentials: store["s3Credentials"],
    serverName: serverNameOf(store, cluster.metadata.name)
  })
  requeue(pass, backups, backup, timing.backupStarts)
}

/** `20260102T030405`, as Barman names its backups. */
const idAt = (now: number): string => toSecondsUtc(now).replaceAll(/[-:Z]/g, "")

const run = (pass: Pass, backup: Thing, cluster: Thing, store: JsonObject): void => {
  const archive = openOwn(pass, cluster, store)
  if (Result.isFailure(archive)) return abort(pass, backup, cluster, archive.failure)
  if (conditionOf(statusOf(cluster), type)?.["status"] === "False") {
    void writeStatus(pass, backups, backup, { ...statusOf(backup), phase: "walArchivingFailing" })
    return requeue(pass, backups, backup, timing.backupRetry)
  }
  const backupId = idAt(pass.now)
  void writeStatus(pass, backups, backup, {
    ...statusOf(backup),
    phase: "running",
    startedAt: toSecondsUtc(pass.now),
    backupId,
    backupName: `backup-${backupId.replace("T", "")}`
  })
  const starting = {
    type: "LastBackupSucceeded",
    status: "False",
    reason: "BackupStarted",
    message: "New Backup starting up"
  } as const
  void write(pass, cluster, withCondition(statusOf(cluster), starting, pass.now))
  requeue(pass, backups, backup, timing.backupTakes)
}

const abort = (pass: Pass, backup: Thing, cluster: Thing, message: string): void => {
  record(pass, backup, "Normal", "Failed", `Backup failed: ${message}`)
  failed(pass, backup, "exit status 1", { commandError: `ERROR: ${message}`, stoppedAt: toSecondsUtc(pass.now) })
  const condition = {
    type: "LastBackupSucceeded",
    status: "False",
    reason: "LastBackupFailed",
    message
  } as const
  const status = { ...statusOf(cluster), lastFailedBackup: toSecondsUtc(pass.now) }
  void write(pass, cluster, withCondition(status, condition, pass.now))
}

/** Milliseconds: a base backup seldom ends at a whole second, at which the clocks of tests stand. */
const fraction = 456

const complete = (pass: Pass, backup: Thing, cluster: Thing, store: JsonObject): void => {
  const database = databaseOf(pass, cluster)
  const done = Result.gen(function* () {
    const archive = yield* openOwn(pass, cluster, store)
    if (database === undefined) return yield* Result.fail("the database is gone")
    const wal = walName(database.timeline, database.segment)
    yield* archiveSegment(pass, cluster, archive, database)
    const made: BaseBackup = {
      id: stringAt(statusOf(backup), "backupId") ?? "",
      began: Date.parse(stringAt(statusOf(backup), "startedAt") ?? ""),
      ended: pass.now + fraction,
      beginWal: wal,
      endWal: wal,
      size: Number((parseQuantity(objectAt(specOf(cluster), "storage")["size"])?.milli ?? 0n) / 1000n),
      systemId: database.systemId,
      major: majorOf(imageOf(cluster)) ?? 0
    }
    yield* putBackup(archive, made, pass.now)
    return { archive, made }
  })
  if (Result.isFailure(done)) return abort(pass, backup, cluster, done.failure)
  const { archive, made } = done.success
  record(pass, backup, "Normal", "Completed", "Backup completed")
  void writeStatus(pass, backups, backup, {
    ...statusOf(backup),
    phase: "completed",
    stoppedAt: toSecondsUtc(pass.now),
    beginWal: made.beginWal,
    endWal: made.endWal,
    majorVersion: made.major
  })
  keep(pass, cluster, archive)
}

const units: Readonly<Record<string, number>> = { d: 1, w: 7, m: 31 }

const windowOf = (cluster: Thing): number | undefined => {
  const [, count = "", unit = ""] =
    /^(\d+)([dwm])$/.exec(stringAt(objectAt(specOf(cluster), "backup"), "retentionPolicy") ?? "") ?? []
  return count === "" ? undefined : Number(count) * (units[unit] ?? 1) * 86_400_000
}

/**
 * Applies the retention policy after a backup: prunes old backups with their resources, and updates the
 * cluster's first recoverability point.
 */
const keep = (pass: Pass, stale: Thing, archive: Archive): void => {
  const cluster = again(pass, stale)
  const window = windowOf(cluster)
  if (window !== undefined) retain(archive, pass.now + fraction - window, pass.now)
  const left = backupsIn(archive)
  const ids = new Set(left.map((_) => _.id))
  const { name, namespace = "" } = cluster.metadata
  const server = serverNameOf(storeOf(cluster) ?? {}, name)
  for (const backup of inNamespace(pass.state, backups, namespace)) {
    const { backupId, phase, serverName } = statusOf(backup)
    if (phase === "completed" && serverName === server && !ids.has(String(backupId))) {
      removeThing(pass, backups, backup)
    }
  }
  const first = left[0] === undefined ? {} : { firstRecoverabilityPoint: toSecondsUtc(left[0].ended) }
  const last = toSecondsUtc(pass.now)
  const status = {
    ...statusOf(cluster),
    ...first,
    lastSuccessfulBackup: last,
    ...(left[0] === undefined
      ? {}
      : { firstRecoverabilityPointByMethod: { barmanObjectStore: toSecondsUtc(left[0].ended) } }),
    lastSuccessfulBackupByMethod: { barmanObjectStore: last }
  }
  const condition = {
    type: "LastBackupSucceeded",
    status: "True",
    reason: "LastBackupSucceeded",
    message: "Backup was successful"
  } as const
  void write(pass, cluster, withCondition(status, condition, pass.now))
}
