import { Result } from "effect"
import { numberAt, objectAt, stringAt } from "../../../Json.ts"
import { parseQuantity } from "../../quantity.ts"
import type { JsonObject, Thing } from "../../state.ts"
import { find, inNamespace, schedule, stamp } from "../../store.ts"
import { conditionOf, withCondition, withoutCondition } from "../conditions.ts"
import { record } from "../events.ts"
import { timing } from "../timing.ts"
import { lookAgain, removeThing, type Turn, writeStatus } from "../writes.ts"
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

const databaseOf = (turn: Turn, cluster: Thing): Database | undefined => {
  const disk = turn.state.disks[cluster.metadata.uid]
  if (disk === undefined) return undefined
  return {
    systemId: stringAt(disk, "systemId") ?? "",
    timeline: numberAt(disk, "timeline") ?? 1,
    segment: numberAt(disk, "segment") ?? 1
  }
}

/** Hands the current segment of the log over, and begins the next. */
const archiveSegment = (turn: Turn, cluster: Thing, archive: Archive, database: Database) =>
  Result.map(putWal(archive, walName(database.timeline, database.segment), turn.now), () => {
    turn.state.disks[cluster.metadata.uid] = { ...database, segment: database.segment + 1 }
  })

const type = "ContinuousArchiving"

const archiving = (words: string | undefined) =>
  words === undefined
    ? ({ status: "True", reason: "ContinuousArchivingSuccess", message: "Continuous archiving is working" } as const)
    : ({ status: "False", reason: "ContinuousArchivingFailing", message: words } as const)

const write = (turn: Turn, cluster: Thing, status: JsonObject): Thing => writeStatus(turn, clusters, cluster, status)

/** The current state of a cluster: a step before may have written to it. */
const again = (turn: Turn, cluster: Thing): Thing =>
  find(turn.state, clusters, cluster.metadata.namespace, cluster.metadata.name) ?? cluster

/**
 * The archiver of a cluster's primary, every five minutes: a database is
 * written to all the time here. It goes on trying while the archive refuses.
 */
export const archiveLog = (turn: Turn, cluster: Thing): void => {
  const store = storeOf(cluster)
  const database = databaseOf(turn, cluster)
  if (store === undefined || database === undefined) {
    void write(turn, cluster, withoutCondition(statusOf(cluster), type))
    return
  }
  const running = partsOf(turn, cluster).instances.some((_) => isReady(_) && _.name === primaryOf(cluster))
  const done = running
    ? Result.flatMap(openOwn(turn, cluster, store), (_) => archiveSegment(turn, cluster, _, database))
    : undefined
  const words = done !== undefined && Result.isFailure(done) ? done.failure : undefined
  schedule(turn.state, clusters, cluster, turn.now + (words === undefined ? timing.archive : timing.retry), "archive")
  if (done === undefined) return
  const said = { type, ...archiving(words) }
  const known = conditionOf(statusOf(cluster), type)
  if (known?.["status"] === said.status && known["message"] === said.message) return
  void write(turn, cluster, withCondition(statusOf(cluster), said, turn.now))
}

const clusterOf = (turn: Turn, backup: Thing): Thing | undefined => {
  const name = stringAt(objectAt(specOf(backup), "cluster"), "name") ?? ""
  return find(turn.state, clusters, backup.metadata.namespace, name)
}

const failed = (turn: Turn, backup: Thing, error: string, more: JsonObject = {}): void => {
  void writeStatus(turn, backups, backup, { ...statusOf(backup), ...more, phase: "failed", error })
}

/** One look at a `Backup`: from pending over started and running to completed, or failed for good. */
export const reconcileBackup = (turn: Turn, backup: Thing): void => {
  const phase = stringAt(statusOf(backup), "phase") ?? ""
  if (backup.metadata.deletionTimestamp !== undefined || phase === "failed" || phase === "completed") return
  const cluster = clusterOf(turn, backup)
  const method = stringAt(specOf(backup), "method") ?? "barmanObjectStore"
  if (cluster === undefined) {
    const name = stringAt(objectAt(specOf(backup), "cluster"), "name") ?? ""
    record(turn, backup, "Warning", "FindingCluster", `Unknown cluster ${name}, will retry in 30 seconds`)
    return lookAgain(turn, backups, backup, timing.backupRetry)
  }
  if (method === "plugin") {
    const words = "cannot proceed with the backup as the cluster has no backup executor plugin enabled"
    record(turn, backup, "Warning", "ClusterHasNoBackupExecutorPlugin", words)
    return failed(turn, backup, words)
  }
  if (specOf(cluster)["backup"] === undefined) {
    const words = "cannot proceed with the backup as the cluster has no backup section"
    record(turn, backup, "Warning", "ClusterHasBackupConfigured", words)
    return failed(turn, backup, words)
  }
  const store = storeOf(cluster)
  if (store === undefined) return failed(turn, backup, "no barmanObjectStore section defined on the target cluster")
  return go(turn, backup, cluster, store)
}

const go = (turn: Turn, backup: Thing, cluster: Thing, store: JsonObject): void => {
  const status = statusOf(backup)
  if (status["phase"] === "started") return run(turn, backup, cluster, store)
  if (status["phase"] === "running") {
    const due = Date.parse(String(status["startedAt"])) + timing.backupTakes
    return turn.now < due ? lookAgain(turn, backups, backup, due - turn.now) : complete(turn, backup, cluster, store)
  }
  const primary = partsOf(turn, cluster).instances.find((_) => _.name === primaryOf(cluster))
  if (primary === undefined || !isReady(primary)) {
    record(turn, backup, "Warning", "BackupPending", `Backup target pod not ready: ${primaryOf(cluster) ?? ""}`)
    void writeStatus(turn, backups, backup, { ...status, phase: "pending" })
    return lookAgain(turn, backups, backup, timing.backupRetry)
  }
  record(turn, backup, "Normal", "Starting", `Starting backup for cluster ${cluster.metadata.name}`)
  void writeStatus(turn, backups, backup, {
    ...status,
    phase: "started",
    method: "barmanObjectStore",
    instanceID: { podName: primary.name },
    destinationPath: store["destinationPath"],
    endpointURL: store["endpointURL"],
    s3Credentials: store["s3Credentials"],
    serverName: serverNameOf(store, cluster.metadata.name)
  })
  lookAgain(turn, backups, backup, timing.backupStarts)
}

/** `20260102T030405`, as Barman names its backups. */
const idAt = (now: number): string => stamp(now).replaceAll(/[-:Z]/g, "")

const run = (turn: Turn, backup: Thing, cluster: Thing, store: JsonObject): void => {
  const archive = openOwn(turn, cluster, store)
  if (Result.isFailure(archive)) return abort(turn, backup, cluster, archive.failure)
  if (conditionOf(statusOf(cluster), type)?.["status"] === "False") {
    void writeStatus(turn, backups, backup, { ...statusOf(backup), phase: "walArchivingFailing" })
    return lookAgain(turn, backups, backup, timing.backupRetry)
  }
  const backupId = idAt(turn.now)
  void writeStatus(turn, backups, backup, {
    ...statusOf(backup),
    phase: "running",
    startedAt: stamp(turn.now),
    backupId,
    backupName: `backup-${backupId.replace("T", "")}`
  })
  const starting = {
    type: "LastBackupSucceeded",
    status: "False",
    reason: "BackupStarted",
    message: "New Backup starting up"
  } as const
  void write(turn, cluster, withCondition(statusOf(cluster), starting, turn.now))
  lookAgain(turn, backups, backup, timing.backupTakes)
}

const abort = (turn: Turn, backup: Thing, cluster: Thing, words: string): void => {
  record(turn, backup, "Normal", "Failed", `Backup failed: ${words}`)
  failed(turn, backup, "exit status 1", { commandError: `ERROR: ${words}`, stoppedAt: stamp(turn.now) })
  const said = { type: "LastBackupSucceeded", status: "False", reason: "LastBackupFailed", message: words } as const
  const status = { ...statusOf(cluster), lastFailedBackup: stamp(turn.now) }
  void write(turn, cluster, withCondition(status, said, turn.now))
}

const complete = (turn: Turn, backup: Thing, cluster: Thing, store: JsonObject): void => {
  const database = databaseOf(turn, cluster)
  const done = Result.gen(function* () {
    const archive = yield* openOwn(turn, cluster, store)
    if (database === undefined) return yield* Result.fail("the database is gone")
    const wal = walName(database.timeline, database.segment)
    yield* archiveSegment(turn, cluster, archive, database)
    const made: BaseBackup = {
      id: stringAt(statusOf(backup), "backupId") ?? "",
      began: Date.parse(stringAt(statusOf(backup), "startedAt") ?? ""),
      ended: turn.now,
      beginWal: wal,
      endWal: wal,
      size: Number((parseQuantity(objectAt(specOf(cluster), "storage")["size"])?.milli ?? 0n) / 1000n),
      systemId: database.systemId,
      major: majorOf(imageOf(cluster)) ?? 0
    }
    yield* putBackup(archive, made, turn.now)
    return { archive, made }
  })
  if (Result.isFailure(done)) return abort(turn, backup, cluster, done.failure)
  const { archive, made } = done.success
  record(turn, backup, "Normal", "Completed", "Backup completed")
  void writeStatus(turn, backups, backup, {
    ...statusOf(backup),
    phase: "completed",
    stoppedAt: stamp(turn.now),
    beginWal: made.beginWal,
    endWal: made.endWal,
    majorVersion: made.major
  })
  keep(turn, cluster, archive)
}

const units: Readonly<Record<string, number>> = { d: 1, w: 7, m: 31 }

const windowOf = (cluster: Thing): number | undefined => {
  const [, count = "", unit = ""] =
    /^(\d+)([dwm])$/.exec(stringAt(objectAt(specOf(cluster), "backup"), "retentionPolicy") ?? "") ?? []
  return count === "" ? undefined : Number(count) * (units[unit] ?? 1) * 86_400_000
}

/** After a backup: what is too old goes, with the resources that stand for it, and the cluster says how far back it reaches. */
const keep = (turn: Turn, stale: Thing, archive: Archive): void => {
  const cluster = again(turn, stale)
  const window = windowOf(cluster)
  if (window !== undefined) retain(archive, turn.now - window, turn.now)
  const left = backupsIn(archive)
  const ids = new Set(left.map((_) => _.id))
  const { name, namespace = "" } = cluster.metadata
  const server = serverNameOf(storeOf(cluster) ?? {}, name)
  for (const backup of inNamespace(turn.state, backups, namespace)) {
    const { backupId, phase, serverName } = statusOf(backup)
    if (phase === "completed" && serverName === server && !ids.has(String(backupId))) {
      removeThing(turn, backups, backup)
    }
  }
  const first = left[0] === undefined ? {} : { firstRecoverabilityPoint: stamp(left[0].ended) }
  const last = stamp(turn.now)
  const status = {
    ...statusOf(cluster),
    ...first,
    lastSuccessfulBackup: last,
    ...(left[0] === undefined ? {} : { firstRecoverabilityPointByMethod: { barmanObjectStore: stamp(left[0].ended) } }),
    lastSuccessfulBackupByMethod: { barmanObjectStore: last }
  }
  const said = {
    type: "LastBackupSucceeded",
    status: "True",
    reason: "LastBackupSucceeded",
    message: "Backup was successful"
  } as const
  void write(turn, cluster, withCondition(status, said, turn.now))
}
