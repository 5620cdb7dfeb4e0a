import { Result } from "effect"
import { booleanAt, type JsonObject, numberAt, objectAt, objectsAt, stringAt, stringsAt } from "../../../Json.ts"
import type { Answer } from "../../../Wire.ts"
import { isRunning } from "../../pods.ts"
import { canonical, parseQuantity } from "../../quantity.ts"
import type { Thing } from "../../state.ts"
import { find, inNamespace } from "../../store.ts"
import { change, ensure, make, newClaim, ownedMeta, removeThing, type Pass } from "../writes.ts"
import { clusterLabel, defaultVersion, labelsOf, nodePools, poolLabel } from "./names.ts"

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

const volumesOf = (pool: Thing): ReadonlyArray<Volume> => {
  const storage = objectAt(pool, "spec", "storage")
  if (storage["type"] !== "jbod") return volumeOf(storage, undefined)
  return objectsAt(storage, "volumes").flatMap((_) => volumeOf(_, numberAt(_, "id") ?? 0))
}

export const replicasOf = (pool: Thing): number => numberAt(objectAt(pool, "spec"), "replicas") ?? 0

export const rolesOf = (pool: Thing): ReadonlyArray<string> => stringsAt(objectAt(pool, "spec"), "roles") ?? []

const claimName = (pool: Thing, volume: Volume, node: number): string =>
  `${volume.id === undefined ? "data" : `data-${volume.id}`}-${clusterOf(pool)}-${pool.metadata.name}-${node}`

const clusterOf = (pool: Thing): string => pool.metadata.labels?.[clusterLabel] ?? ""

export const podName = (pool: Thing, node: number): string => `${clusterOf(pool)}-${pool.metadata.name}-${node}`

/** The present node ids of a pool. */
export const nodeIdsOf = (pool: Thing): ReadonlyArray<number> => {
  const ids = objectAt(pool, "status")["nodeIds"]
  return Array.isArray(ids) ? ids.filter((_) => typeof _ === "number") : []
}

/**
 * The wanted node ids of each pool of a cluster: the present ones, of which the last are removed first, and new
 * ones from the lowest id that is free in the whole cluster.
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

const belonging = (pool: Thing, name: string): JsonObject =>
  ownedMeta(pool, name, { ...labelsOf(clusterOf(pool)), [poolLabel]: pool.metadata.name })

const claimOf = (pass: Pass, pool: Thing, volume: Volume, node: number): Thing | undefined =>
  find(pass.state, "persistentvolumeclaims", pool.metadata.namespace, claimName(pool, volume, node))

/** The claims of a node: new ones, or those left by an earlier cluster of the name. */
const makeClaims = (pass: Pass, pool: Thing, node: number): Result.Result<void, Answer> =>
  Result.gen(function* () {
    for (const volume of volumesOf(pool)) {
      const found = claimOf(pass, pool, volume, node)
      if (found !== undefined) {
        yield* grown(pass, found, volume)
        continue
      }
      const { ownerReferences, ...unowned } = belonging(pool, claimName(pool, volume, node))
      // A claim without an owner is never collected: that is what `deleteClaim: false` means.
      const metadata = volume.deleteClaim ? { ...unowned, ownerReferences } : unowned
      yield* make(pass, "persistentvolumeclaims", newClaim(metadata, canonical(volume.size), volume.storageClass))
    }
  })

const requestOf = (claim: Thing): string => String(objectAt(claim, "spec", "resources", "requests")["storage"] ?? "0")

const milli = (size: string): bigint => parseQuantity(size)?.milli ?? 0n

/** Claims only grow, and only once they are bound. */
const grown = (pass: Pass, claim: Thing, { size }: Volume): Result.Result<void, Answer> => {
  if (objectAt(claim, "status")["phase"] !== "Bound" || milli(size) <= milli(requestOf(claim))) {
    return Result.void
  }
  const spec = { ...objectAt(claim, "spec"), resources: { requests: { storage: canonical(size) } } }
  return Result.map(change(pass, "persistentvolumeclaims", claim, { ...claim, spec }), () => undefined)
}

/** Whether the pool requests less storage than it has; the operator ignores that. */
export const shrinks = (pass: Pass, pool: Thing): boolean =>
  nodeIdsOf(pool).some((node) =>
    volumesOf(pool).some((volume) => {
      const claim = claimOf(pass, pool, volume, node)
      return claim !== undefined && milli(volume.size) < milli(requestOf(claim))
    })
  )

const podOf = (pool: Thing, kafka: Thing, node: number): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: belonging(pool, podName(pool, node)),
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

/** Creates a node's missing claims and pod. */
export const makeNode = (pass: Pass, pool: Thing, kafka: Thing, node: number): Result.Result<void, Answer> =>
  Result.andThen(makeClaims(pass, pool, node), () =>
    Result.map(ensure(pass, "pods", podOf(pool, kafka, node)), () => undefined)
  )

/** Removes nodes that no pool wants, with the claims that may be deleted. */
export const removeNodes = (pass: Pass, pool: Thing, wanted: ReadonlyArray<number>): void => {
  const gone = nodeIdsOf(pool).filter((_) => !wanted.includes(_))
  for (const node of gone) {
    const pod = find(pass.state, "pods", pool.metadata.namespace, podName(pool, node))
    if (pod !== undefined) removeThing(pass, "pods", pod)
    for (const volume of volumesOf(pool).filter((_) => _.deleteClaim)) {
      const claim = claimOf(pass, pool, volume, node)
      if (claim !== undefined) removeThing(pass, "persistentvolumeclaims", claim)
    }
  }
}

/** A broker's state: `foreign` has a volume with another cluster's id. */
export type Standing = "foreign" | "starting" | "grown" | "ready"

const metaOf = (pass: Pass, claim: Thing): JsonObject => pass.state.disks[claim.metadata.uid] ?? {}

const capacityOf = (claim: Thing): string => String(objectAt(claim, "status", "capacity")["storage"] ?? "")

/**
 * Reads a node's pod and volumes, and writes the cluster's id to the volumes as a broker does at its first
 * start.
 * @param readyAfter milliseconds from the start of the container
 */
export const standingOf = (pass: Pass, pool: Thing, node: number, clusterId: string, readyAfter: number): Standing => {
  const pod = find(pass.state, "pods", pool.metadata.namespace, podName(pool, node))
  const claims = volumesOf(pool).flatMap((_) => claimOf(pass, pool, _, node) ?? [])
  if (pod === undefined || !isRunning(pod) || pod.metadata.deletionTimestamp !== undefined) return "starting"
  if (!claims.every((_) => objectAt(_, "status")["phase"] === "Bound")) return "starting"
  if (claims.some((_) => (metaOf(pass, _)["clusterId"] ?? clusterId) !== clusterId)) return "foreign"
  if (pass.now < startedAt(pod) + readyAfter) return "starting"
  const resized = claims.some((_) => (metaOf(pass, _)["size"] ?? capacityOf(_)) !== capacityOf(_))
  for (const claim of claims) pass.state.disks[claim.metadata.uid] = { clusterId, size: capacityOf(claim) }
  return resized ? "grown" : "ready"
}

export const startedAt = (pod: Thing): number => {
  const [status = {}] = objectsAt(pod, "status", "containerStatuses")
  return Date.parse(String(objectAt(status, "state", "running")["startedAt"] ?? ""))
}

/** The pools that are a cluster's by their label. */
export const poolsOf = (pass: Pass, kafka: Thing): ReadonlyArray<Thing> =>
  inNamespace(pass.state, nodePools, kafka.metadata.namespace ?? "").filter(
    (_) => clusterOf(_) === kafka.metadata.name && _.metadata.deletionTimestamp === undefined
  )
