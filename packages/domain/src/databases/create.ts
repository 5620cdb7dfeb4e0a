import { type DatabaseCreate, type Engine, isDatabaseName, nameLengths } from "@portico/contract/Databases"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Data, Effect, Schedule } from "effect"
import { ensureNamespace } from "../kubernetes/ensureNamespace.ts"
import { isManaged } from "../kubernetes/ownership.ts"
import { type BackupSettings, backupSettings, prepareBackup, withBackup } from "./backups.ts"
import { type Extent, withinBudget, withinLimits } from "./ceilings.ts"
import { changingDatabases, type DatabaseRef, namespaceOf, refused } from "./database.ts"
import { kafkaContent, poolContent, poolName } from "./engines/kafka.ts"
import { clusterContent, type ClusterRequest } from "./engines/postgres.ts"
import { type Holdings, holdingsOf, isLeaving, partsOf } from "./holdings.ts"
import { postgresImage, toWire, versions } from "./record.ts"

/**
 * Creates a database of a tenant (contract, Managed databases). Invalid requests are refused before
 * anything is read, and a lack of room before anything is written. A retry after a lost response is
 * a 409, and nothing is created twice.
 *
 * @returns the record, `pending`
 *
 * Errors: 404, 409, 422 and 503 as {@link makePostgres}; 409 when another change of the tenant's
 * databases takes too long; 409, 422 and 502 with the upstream's message.
 */
export const createDatabase = Effect.fn("databases.create")(
  function* (projectId: string, request: DatabaseCreate) {
    const { backup, engine, name, size_gb, version } = request
    if (!versions[engine].includes(version)) return yield* Unprocessable.databaseVersion(engine, versions[engine])
    if (engine === "kafka") {
      if (request.replicas !== undefined && request.replicas !== 1) return yield* Unprocessable.kafkaReplicas()
      if (backup?.enabled === true) return yield* Unprocessable.kafkaBackup()
      return yield* changingDatabases(projectId, makeKafka(projectId, { name, version, size_gb }))
    }
    const image = postgresImage(version) ?? ""
    const settings = backupSettings({ name, projectId }, backup)
    const wanted = { name, image, size_gb, replicas: request.replicas ?? 1, backup: settings }
    return yield* changingDatabases(projectId, makePostgres(projectId, wanted))
  },
  (effect) => Effect.catchTags(effect, { UpstreamError: refused })
)

/**
 * Creates a PostgreSQL database, empty or a copy, in the tenant's namespace, which it creates on
 * first use. All checks run before anything is written.
 *
 * Runs under the lease of the tenant's databases.
 *
 * @returns the record, `pending`
 *
 * Errors: 404 in a cloud without a cluster; 409 for a name that is taken and for a ceiling that is
 * reached; 422 for an invalid database; 503 when the tier cannot be read; those of the archive;
 * UpstreamError.
 */
export const makePostgres = Effect.fn("databases.makePostgres")(function* (
  projectId: string,
  wanted: Omit<ClusterRequest, "projectId"> & { readonly name: string; readonly backup: BackupSettings | undefined }
) {
  const { ref, tier } = yield* admitted(projectId, "postgres", wanted)
  const prepared = yield* prepareBackup(projectId, wanted.backup)
  yield* ensureNamespace(projectId, tier)
  const { apply } = yield* Kubernetes
  const cluster = yield* withBackup(ref, prepared, (stanza) =>
    apply(kinds.cluster, ref, clusterContent({ ...wanted, projectId }, stanza))
  )
  return toWire({ cluster }, [])
})

/**
 * Creates a Kafka database: first its node pool, which does nothing until the Kafka that it names
 * exists. A pool without its Kafka, or a Kafka without its pool, is completed.
 *
 * Runs under the lease of the tenant's databases.
 *
 * @returns the record, `pending`
 *
 * Errors: as {@link makePostgres}.
 */
export const makeKafka = Effect.fn("databases.makeKafka")(function* (
  projectId: string,
  wanted: { readonly name: string; readonly version: string; readonly size_gb: number }
) {
  const { ref, tier } = yield* admitted(projectId, "kafka", { ...wanted, replicas: 1 })
  yield* ensureNamespace(projectId, tier)
  const { apply } = yield* Kubernetes
  const { name, namespace } = ref
  const pool = yield* apply(
    kinds.kafkaNodePool,
    { namespace, name: poolName(name) },
    poolContent({ ...wanted, projectId })
  )
  const kafka = yield* apply(kinds.kafka, ref, kafkaContent({ ...wanted, projectId }))
  return toWire({ kafka, pools: [pool] }, [])
})

/**
 * Checks the name and the room for a database, and returns its location and the tier that has room
 * for it. Nothing is written yet. When only claims that are being deleted use up the room, it waits
 * for their end.
 */
const admitted = Effect.fnUntraced(
  function* (projectId: string, engine: Engine, { name, replicas, size_gb }: Extent & { readonly name: string }) {
    const namespace = yield* namespaceOf(projectId)
    if (!isDatabaseName(engine, name)) return yield* Unprocessable.databaseName(engine, nameLengths[engine])
    const ref: DatabaseRef = { projectId, namespace, engine, name }
    yield* withinLimits({ replicas, size_gb })
    const look = Effect.gen(function* () {
      const holdings = yield* holdingsOf(namespace)
      if (isTaken(holdings, ref)) return yield* Conflict.databaseExists(engine, name)
      const tier = yield* Effect.catchIf(
        withinBudget(ref, { replicas, size_gb }, holdings),
        (error): error is Conflict<"ceiling_reached"> =>
          error._tag === "Conflict" && error.code === "ceiling_reached" && isLeaving(holdings),
        (refusal) => Effect.fail(new RoomIsComing({ refusal }))
      )
      return { ref, tier }
    })
    return yield* Effect.retry(look, {
      times: 10,
      schedule: Schedule.spaced("500 millis"),
      while: (error) => error._tag === "RoomIsComing"
    })
  },
  (effect) => Effect.catchTag(effect, "RoomIsComing", ({ refusal }) => Effect.fail(refusal))
)

/** There is no room yet, but claims in the way are being deleted. */
class RoomIsComing extends Data.TaggedError("RoomIsComing")<{ readonly refusal: Conflict<"ceiling_reached"> }> {}

/** A name is not taken by an interrupted create of the gateway: a Kafka without a pool, or a pool without its Kafka. */
const isTaken = (holdings: Holdings, { engine, name }: DatabaseRef): boolean => {
  const parts = partsOf(holdings).get(`${engine}/${name}`)
  if (parts === undefined) return false
  if (parts.cluster !== undefined) return true
  const { kafka, pools = [] } = parts
  const isHalf = kafka === undefined || pools.length === 0
  const all = [...pools, ...(kafka === undefined ? [] : [kafka])]
  return !isHalf || !all.every(isManaged)
}
