import type { DatabaseRecord, DatabaseResize } from "@portico/contract/Databases"
import { Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import { type Kind, kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Data, DateTime, Effect, Schedule } from "effect"
import { notSuspended } from "../limits/tenantTier.ts"
import { withinBudget, withinLimits } from "./ceilings.ts"
import { changingDatabases, type DatabaseRef, databaseRefOf, refused } from "./database.ts"
import { poolPatch } from "./engines/kafka.ts"
import { clusterPatch } from "./engines/postgres.ts"
import { claimsOf, holdingsOf, nameOf, type Parts, partsOf } from "./holdings.ts"
import { managedParts, toWire } from "./record.ts"
import { changedNote } from "./status.ts"

/**
 * Grows a database or changes its replicas, in place (contract, Managed databases). All checks run
 * before anything is written, and one write makes both changes.
 *
 * The write names the resource version that was read. When another client or the operator has
 * written in between, or the response is lost, the operation starts again with a new read, which
 * shows whether the write took effect.
 *
 * @returns the record, usually `updating`
 *
 * Errors: 403 for growth in a suspended tenant; 404; 409 when the storage does not grow, for
 * unchanged replicas, at a ceiling, and when other clients keep changing the database; 422 for a
 * kafka's replicas, and with the arithmetic of the limits; 502; 503 when the tier cannot be read.
 */
export const resizeDatabase = Effect.fn("databases.resize")(
  function* (projectId: string, engine: string, name: string, change: DatabaseResize) {
    const ref = yield* databaseRefOf(projectId, engine, name)
    let attempts = 0
    const attempt = Effect.suspend(() => resize(ref, change, attempts++ > 0))
    const retried = Effect.retry(attempt, {
      times: 3,
      schedule: Schedule.exponential("100 millis"),
      while: (error) => error._tag === "NotWritten" && error.mayPass
    })
    return yield* changingDatabases(projectId, retried)
  },
  (effect) =>
    Effect.catchTags(effect, {
      NotWritten: ({ error }) => (error.status === 409 ? Conflict.concurrentChange("the database") : refused(error)),
      UpstreamError: refused
    })
)

class NotWritten extends Data.TaggedError("NotWritten")<{ readonly error: UpstreamError }> {
  /** Whether a new read may show that the write took effect, or what to write instead. */
  get mayPass(): boolean {
    return this.error.transient || this.error.unsettled || this.error.status === 409
  }
}

const resize = Effect.fnUntraced(function* (ref: DatabaseRef, change: DatabaseResize, again: boolean) {
  const { engine, name, namespace } = ref
  const holdings = yield* holdingsOf(namespace)
  const parts = managedParts(partsOf(holdings).get(`${engine}/${name}`) ?? {})
  if (parts === undefined) return yield* NotFound.database(name)
  if (engine === "kafka" && change.replicas !== undefined) return yield* Unprocessable.kafkaReplicas()
  const claims = claimsOf(holdings.claims, parts)
  const held = toWire(parts, claims)
  const target = targetOf(parts)
  // Part of it is gone, or all of it is being deleted.
  if (target === undefined || held.status === "deleting") return yield* Conflict.concurrentChange("the database")

  const wanted = { size_gb: change.size_gb ?? held.size_gb, replicas: change.replicas ?? held.replicas }
  // The write whose response was lost took effect.
  if (again && wanted.size_gb === held.size_gb && wanted.replicas === held.replicas) return held
  yield* isChange(change, held)
  if (wanted.size_gb > held.size_gb || wanted.replicas > held.replicas) yield* notSuspended(ref.projectId)
  yield* withinLimits(wanted, held)
  yield* withinBudget(ref, wanted, holdings)

  const written = yield* write(target, namespace, change, held)
  return toWire(engine === "kafka" ? { ...parts, pools: [written] } : { cluster: written }, claims)
})

const isChange = Effect.fnUntraced(function* ({ replicas, size_gb }: DatabaseResize, held: DatabaseRecord) {
  if (size_gb !== undefined && size_gb <= held.size_gb) {
    return yield* Conflict.databaseStorageNotGrown(size_gb, held.size_gb)
  }
  if (replicas === held.replicas) return yield* Conflict.databaseReplicasUnchanged(replicas)
})

/** The object whose specification has the size. */
const targetOf = ({ cluster, kafka, pools = [] }: Parts) => {
  if (cluster !== undefined) return { kind: kinds.cluster, object: cluster, patch: clusterPatch }
  const [pool] = pools
  if (kafka === undefined || pool === undefined) return undefined
  return {
    kind: kinds.kafkaNodePool,
    object: pool,
    patch: ({ size_gb = 0 }: DatabaseResize) => poolPatch(pool, size_gb)
  }
}

interface Target {
  readonly kind: Kind
  readonly object: KubernetesObject
  readonly patch: (change: DatabaseResize) => object
}

const write = Effect.fnUntraced(function* (
  { kind, object, patch }: Target,
  namespace: string,
  change: DatabaseResize,
  { status }: DatabaseRecord
) {
  const wasReady = status !== "pending" && status !== "provisioning" && status !== "failing"
  const note = wasReady ? { annotations: { [changedNote]: DateTime.formatIso(yield* DateTime.now) } } : {}
  const metadata = { resourceVersion: object.metadata["resourceVersion"], ...note }
  return yield* Effect.mapError(
    (yield* Kubernetes).merge(kind, { namespace, name: nameOf(object) }, { metadata, ...patch(change) }),
    (error) => new NotWritten({ error })
  )
})
