import { randomInt } from "node:crypto"
import { Result } from "effect"
import { type JsonObject, objectAt, objectsAt, stringAt } from "../../../Json.ts"
import { parseQuantity } from "../../quantity.ts"
import type { Thing } from "../../state.ts"
import { find } from "../../store.ts"
import type { Pass } from "../writes.ts"
import { type Archive, backupsIn, type BaseBackup, isEmpty, logReaches, open, serverNameOf } from "./archive.ts"
import { backups, bootstrapOf, imageOf, majorOf, specOf, statusOf } from "./names.ts"
import { renderedTarget, targetMoment } from "./recoveryTarget.ts"

/** The identity of a database, and the position of its log. */
export interface Database {
  readonly systemId: string
  readonly timeline: number
  /** The next WAL segment to archive. */
  readonly segment: number
}

const newSystemId = (): string => `7${Array.from({ length: 18 }, () => randomInt(10)).join("")}`

/** `backup.barmanObjectStore` of a cluster with an archive. */
export const storeOf = (cluster: JsonObject): JsonObject | undefined => {
  const backup = objectAt(specOf(cluster), "backup")
  return backup["barmanObjectStore"] === undefined ? undefined : objectAt(backup, "barmanObjectStore")
}

/** The folder of a cluster's own backups. */
export const openOwn = (pass: Pass, cluster: Thing, store: JsonObject): Result.Result<Archive, string> => {
  const { name, namespace = "" } = cluster.metadata
  return open(pass, namespace, store, serverNameOf(store, name))
}

const skipsCheck = ({ metadata }: Thing): boolean =>
  metadata.annotations?.["cnpg.io/skipEmptyWalArchiveCheck"] === "enabled"

/** A new database refuses an archive with files of another one. */
const archiveIsFree = (pass: Pass, cluster: Thing): Result.Result<void, string> => {
  const store = storeOf(cluster)
  if (store === undefined || skipsCheck(cluster)) return Result.void
  const server = serverNameOf(store, cluster.metadata.name)
  return Result.flatMap(openOwn(pass, cluster, store), (archive) =>
    isEmpty(archive)
      ? Result.void
      : Result.fail(`WAL archive check failed for server ${server}: Expected empty archive`)
  )
}

/** An empty database. Only the archiver detects an archive that cannot be opened. */
export const initialized = (pass: Pass, cluster: Thing): Result.Result<Database, string> => {
  const free = archiveIsFree(pass, cluster)
  return Result.isFailure(free) && free.failure.endsWith("Expected empty archive")
    ? Result.fail(free.failure)
    : Result.succeed({ systemId: newSystemId(), timeline: 1, segment: 1 })
}

interface Source {
  readonly archive: Archive
  readonly backupId: string
}

/** The source of a recovery: an entry of `externalClusters`, or a `Backup` of the namespace. */
const sourceOf = (pass: Pass, cluster: Thing, recovery: JsonObject): Result.Result<Source, string> => {
  const { namespace = "" } = cluster.metadata
  const wanted = stringAt(objectAt(recovery, "recoveryTarget"), "backupID") ?? ""
  const named = stringAt(objectAt(recovery, "backup"), "name")
  if (named !== undefined) {
    const backup = find(pass.state, backups, namespace, named)
    const status = statusOf(backup ?? {})
    if (status["phase"] !== "completed") return Result.fail(`Backup object "${namespace}/${named}" is missing`)
    return Result.map(open(pass, namespace, status, serverNameOf(status, "")), (archive) => ({
      archive,
      backupId: wanted || (stringAt(status, "backupId") ?? "")
    }))
  }
  const name = stringAt(recovery, "source") ?? ""
  const entry = objectsAt(specOf(cluster), "externalClusters").find((_) => _["name"] === name)
  const store = objectAt(entry, "barmanObjectStore")
  return Result.map(open(pass, namespace, store, serverNameOf(store, name)), (archive) => ({
    archive,
    backupId: wanted
  }))
}

/** The target time of the recovery in clock milliseconds, undefined without one, or PostgreSQL's refusal of it. */
const targetOf = (recovery: JsonObject): Result.Result<number | undefined, string> => {
  const text = stringAt(objectAt(recovery, "recoveryTarget"), "targetTime") ?? ""
  if (text === "") return Result.succeed(undefined)
  return Result.fromOption(
    targetMoment(text),
    () => `FATAL:  invalid value for parameter "recovery_target_time": "${renderedTarget(text)}"`
  )
}

const choose = ({ archive, backupId }: Source, target: number | undefined): BaseBackup | undefined => {
  const all = backupsIn(archive)
  if (backupId !== "") return all.find((_) => _.id === backupId)
  return all.findLast((_) => target === undefined || _.ended <= target)
}

/** The database of an archive at the target time, by default at the end of the log. */
export const recovered = (pass: Pass, cluster: Thing): Result.Result<Database, string> =>
  Result.gen(function* () {
    const recovery = bootstrapOf(cluster).recovery ?? {}
    yield* archiveIsFree(pass, cluster)
    const source = yield* sourceOf(pass, cluster, recovery)
    const target = yield* targetOf(recovery)
    const backup = choose(source, target)
    if (backup === undefined) return yield* Result.fail("no target backup found")
    if (backup.major !== majorOf(imageOf(cluster))) {
      return yield* Result.fail(
        `The data directory was initialized by PostgreSQL version ${backup.major}, which is not compatible with this ` +
          `version ${majorOf(imageOf(cluster))}`
      )
    }
    const size = parseQuantity(objectAt(specOf(cluster), "storage")["size"])
    if (size !== undefined && size.milli < BigInt(backup.size) * 1000n) {
      return yield* Result.fail("could not write to file: No space left on device")
    }
    // Times after the end of the log cannot be recovered.
    if (target !== undefined && logReaches(source.archive) < target) {
      return yield* Result.fail("recovery ended before configured recovery target was reached")
    }
    return { systemId: backup.systemId, timeline: 2, segment: Number.parseInt(backup.endWal.slice(16), 16) + 1 }
  })
