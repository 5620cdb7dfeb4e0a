import { Result } from "effect"
import { booleanAt, numberAt, objectAt, stringAt, stringsAt } from "../../../Json.ts"
import type { Answer } from "../../../Wire.ts"
import { containersIn, isRunning } from "../../pods.ts"
import { formatQuantity, parseQuantity } from "../../quantity.ts"
import type { JsonObject, Thing } from "../../state.ts"
import { find, inNamespace } from "../../store.ts"
import { change, ensure, make, ownedBy, removeThing, type Turn } from "../writes.ts"
import { clusterLabel, defaultVersion, nodePools, poolLabel } from "./names.ts"

/** A volume of each node of a pool. */
export interface Volume {
  /** Undefined for the only volume of a pool that has no list of them. */
  readonly id: number | undefined
  readonly size: string
  readonly storageClass: string | undefined
  readonly deleteClaim: boolean
}

const volumeOf = (given: JsonObject, id: number | undefined): ReadonlyArray<Volume> =>
  given["type"] === "persistent-claim"
    ? [
        {
          id,
          size: stringAt(given, "size") ?? "0",
          storageClass: stringAt(given, "class"),
          deleteClaim: booleanAt(given, "deleteClaim") ?? false
        }
      ]
    : []

export const volumesOf = (pool: Thing): ReadonlyArray<Volume> => {
  const storage = objectAt(pool, "spec", "storage")
  if (storage["type"] !== "jbod") return volumeOf(storage, undefined)
  return containersIn(storage, "volumes").flatMap((_) => volumeOf(_, numberAt(_, "id") ?? 0))
}

export const replicasOf = (pool: Thing): number => numberAt(objectAt(pool, "spec"), "replicas") ?? 0

export const rolesOf = (pool: Thing): ReadonlyArray<string> => stringsAt(objectAt(pool, "spec"), "roles") ?? []

const claimName = (pool: Thing, volume: Volume, node: number): string =>
  `${volume.id === undefined ? "data" : `data-${volume.id}`}-${clusterOf(pool)}-${pool.metadata.name}-${node}`

export const clusterOf = (pool: Thing): string => pool.metadata.labels?.[clusterLabel] ?? ""

export const podName = (pool: Thing, node: number): string => `${clusterOf(pool)}-${pool.metadata.name}-${node}`

/** The ids that a pool's nodes have so far. */
export const nodeIdsOf = (pool: Thing): ReadonlyArray<number> => {
  const ids = objectAt(pool, "status")["nodeIds"]
  return Array.isArray(ids) ? ids.filter((_) => typeof _ === "number") : []
}

/**
 * The ids of the nodes that each pool of a cluster is to have: those that it
 * has, the last of them given up first, and new ones from the lowest that is
 * free in the whole cluster.
 */
export const assigned = (pools: ReadonlyArray<Thing>): ReadonlyMap<Thing, ReadonlyArray<number>> => {
  const kept = new Map(pools.map((_) => [_, nodeIdsOf(_).slice(0, replicasOf(_))] as const))
  const taken = new Set([...kept.values()].flat())
  const free = () => {
    let id = 0
    while (taken.has(id)) id += 1
    taken.add(id)
    return id
  }
  return new Map(
    [...kept].map(([pool, ids]) => [
      pool,
      [...ids, ...Array.from({ length: Math.max(replicasOf(pool) - ids.length, 0) }, free)]
    ])
  )
}

const belonging = (pool: Thing, name: string, owner: boolean): JsonObject => ({
  name,
  namespace: pool.metadata.namespace,
  labels: {
    [clusterLabel]: clusterOf(pool),
    [poolLabel]: pool.metadata.name,
    "strimzi.io/kind": "Kafka",
    "app.kubernetes.io/managed-by": "strimzi-cluster-operator"
  },
  ...(owner ? { ownerReferences: [ownedBy(pool)] } : {})
})

const canonical = (size: string): string => {
  const parsed = parseQuantity(size)
  return parsed === undefined ? size : formatQuantity(parsed)
}

const claimOf = (turn: Turn, pool: Thing, volume: Volume, node: number): Thing | undefined =>
  find(turn.state, "persistentvolumeclaims", pool.metadata.namespace, claimName(pool, volume, node))

/** The claims of a node: made, or those that an earlier cluster of the name has left behind. */
const makeClaims = (turn: Turn, pool: Thing, node: number): Result.Result<void, Answer> =>
  Result.gen(function* () {
    for (const volume of volumesOf(pool)) {
      const found = claimOf(turn, pool, volume, node)
      if (found !== undefined) {
        yield* grown(turn, found, volume)
        continue
      }
      yield* make(turn, "persistentvolumeclaims", {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        // Without an owner, nothing takes the claim away: that is what `deleteClaim: false` means.
        metadata: belonging(pool, claimName(pool, volume, node), volume.deleteClaim),
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: canonical(volume.size) } },
          ...(volume.storageClass === undefined ? {} : { storageClassName: volume.storageClass })
        }
      })
    }
  })

const requestOf = (claim: Thing): string => String(objectAt(claim, "spec", "resources", "requests")["storage"] ?? "0")

const milli = (size: string): bigint => parseQuantity(size)?.milli ?? 0n

/** Claims only grow, and only once they are bound. */
const grown = (turn: Turn, claim: Thing, { size }: Volume): Result.Result<void, Answer> => {
  if (objectAt(claim, "status")["phase"] !== "Bound" || milli(size) <= milli(requestOf(claim))) {
    return Result.succeed(undefined)
  }
  const spec = { ...objectAt(claim, "spec"), resources: { requests: { storage: canonical(size) } } }
  return Result.map(change(turn, "persistentvolumeclaims", claim, { ...claim, spec }), () => undefined)
}

/** Whether the pool asks for less than it has, which the operator leaves as it is. */
export const shrinks = (turn: Turn, pool: Thing): boolean =>
  nodeIdsOf(pool).some((node) =>
    volumesOf(pool).some((volume) => {
      const claim = claimOf(turn, pool, volume, node)
      return claim !== undefined && milli(volume.size) < milli(requestOf(claim))
    })
  )

const podOf = (pool: Thing, kafka: Thing, node: number): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: belonging(pool, podName(pool, node), true),
  spec: {
    hostname: podName(pool, node),
    containers: [
      {
        name: "kafka",
        image: `quay.io/strimzi/kafka:1.2.0-kafka-${stringAt(objectAt(kafka, "spec", "kafka"), "version") ?? defaultVersion}`,
        ports: [{ name: "tcp-replication", containerPort: 9091, protocol: "TCP" }],
        resources: objectAt(pool, "spec", "resources")
      }
    ],
    volumes: volumesOf(pool).map((_) => ({
      name: _.id === undefined ? "data" : `data-${_.id}`,
      persistentVolumeClaim: { claimName: claimName(pool, _, node) }
    }))
  }
})

/** Makes a node's claims and its pod, as far as they are not there. */
export const makeNode = (turn: Turn, pool: Thing, kafka: Thing, node: number): Result.Result<void, Answer> =>
  Result.andThen(makeClaims(turn, pool, node), () =>
    Result.map(ensure(turn, "pods", podOf(pool, kafka, node)), () => undefined)
  )

/** Nodes that no pool wants any more, with the claims that may go. */
export const removeNodes = (turn: Turn, pool: Thing, wanted: ReadonlyArray<number>): void => {
  const gone = nodeIdsOf(pool).filter((_) => !wanted.includes(_))
  for (const node of gone) {
    const pod = find(turn.state, "pods", pool.metadata.namespace, podName(pool, node))
    if (pod !== undefined) removeThing(turn, "pods", pod)
    for (const volume of volumesOf(pool).filter((_) => _.deleteClaim)) {
      const claim = claimOf(turn, pool, volume, node)
      if (claim !== undefined) removeThing(turn, "persistentvolumeclaims", claim)
    }
  }
}

/** How a broker stands: `foreign` is on a volume that another cluster has written to. */
export type Standing = "foreign" | "starting" | "grown" | "ready"

const metaOf = (turn: Turn, claim: Thing): JsonObject => turn.state.disks[claim.metadata.uid] ?? {}

const capacityOf = (claim: Thing): string => String(objectAt(claim, "status", "capacity")["storage"] ?? "")

/**
 * Looks at a node's pod and volumes, and writes to the volumes what a broker
 * does at its first start: the id of its cluster.
 *
 * @param readyAfter milliseconds from the start of the container
 */
export const standingOf = (turn: Turn, pool: Thing, node: number, clusterId: string, readyAfter: number): Standing => {
  const pod = find(turn.state, "pods", pool.metadata.namespace, podName(pool, node))
  const claims = volumesOf(pool).flatMap((_) => claimOf(turn, pool, _, node) ?? [])
  if (pod === undefined || !isRunning(pod) || pod.metadata.deletionTimestamp !== undefined) return "starting"
  if (!claims.every((_) => objectAt(_, "status")["phase"] === "Bound")) return "starting"
  if (claims.some((_) => (metaOf(turn, _)["clusterId"] ?? clusterId) !== clusterId)) return "foreign"
  if (turn.now < startedAt(pod) + readyAfter) return "starting"
  const resized = claims.some((_) => (metaOf(turn, _)["size"] ?? capacityOf(_)) !== capacityOf(_))
  for (const claim of claims) turn.state.disks[claim.metadata.uid] = { clusterId, size: capacityOf(claim) }
  return resized ? "grown" : "ready"
}

export const startedAt = (pod: Thing): number => {
  const [status = {}] = containersIn(objectAt(pod, "status"), "containerStatuses")
  return Date.parse(String(objectAt(status, "state", "running")["startedAt"] ?? ""))
}

/** The pools that are a cluster's by their label. */
export const poolsOf = (turn: Turn, kafka: Thing): ReadonlyArray<Thing> =>
  inNamespace(turn.state, nodePools, kafka.metadata.namespace ?? "").filter(
    (_) => clusterOf(_) === kafka.metadata.name && _.metadata.deletionTimestamp === undefined
  )
