import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { at } from "./fields.ts"
import { claimsOf, type Holdings, type Parts, partsOf } from "./holdings.ts"
import { bytesOf } from "./quantity.ts"

/** What something takes, or would take, of a tenant's storage. */
export interface Footprint {
  readonly bytes: number
  readonly claims: number
}

export const nothing: Footprint = { bytes: 0, claims: 0 }

export const plus = (one: Footprint, other: Footprint): Footprint => ({
  bytes: one.bytes + other.bytes,
  claims: one.claims + other.claims
})

const larger = (one: Footprint, other: Footprint): Footprint => ({
  bytes: Math.max(one.bytes, other.bytes),
  claims: Math.max(one.claims, other.claims)
})

const sum = (all: ReadonlyArray<Footprint>): Footprint => all.reduce(plus, nothing)

const times = (instances: unknown, volumes: ReadonlyArray<unknown>): Footprint => {
  const many = typeof instances === "number" && instances > 0 ? instances : 0
  return {
    bytes: many * volumes.reduce<number>((total, size) => total + bytesOf(size), 0),
    claims: many * volumes.length
  }
}

/** The size of one of CloudNativePG's volumes, said in either of two ways. */
export const sizeOf = (storage: unknown): unknown =>
  at(storage, "size") ?? at(storage, "pvcTemplate", "resources", "requests", "storage")

const listAt = (object: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const found = at(object, ...path)
  return Array.isArray(found) ? found : []
}

/** One claim an instance, one more for a log of its own, and one a tablespace. */
const ofCluster = (cluster: KubernetesObject): Footprint => {
  const spec = cluster["spec"]
  const log = at(spec, "walStorage")
  const volumes = [
    sizeOf(at(spec, "storage")),
    ...(log === undefined ? [] : [sizeOf(log)]),
    ...listAt(spec, "tablespaces").map((_) => sizeOf(at(_, "storage")))
  ]
  return times(at(spec, "instances") ?? 1, volumes)
}

/** The volumes of one of a pool's nodes that are claimed; the others end with their pod. */
export const volumesOf = (pool: KubernetesObject): ReadonlyArray<unknown> => {
  const storage = at(pool, "spec", "storage")
  const volumes = at(storage, "type") === "jbod" ? listAt(storage, "volumes") : [storage]
  return volumes.filter((_) => at(_, "type") === "persistent-claim")
}

const ofPool = (pool: KubernetesObject): Footprint =>
  times(
    at(pool, "spec", "replicas"),
    volumesOf(pool).map((_) => at(_, "size"))
  )

const ofClaim = (claim: KubernetesObject): Footprint => ({
  bytes: bytesOf(at(claim, "spec", "resources", "requests", "storage")),
  claims: 1
})

/**
 * A database counts as what it is to have, or as what it still has, whichever
 * is more: claims follow a change of its specification some time later.
 */
const ofParts = (parts: Parts, claims: ReadonlyArray<KubernetesObject>): Footprint =>
  larger(
    sum([...(parts.cluster === undefined ? [] : [ofCluster(parts.cluster)]), ...(parts.pools ?? []).map(ofPool)]),
    sum(claims.map(ofClaim))
  )

/**
 * What everything in a tenant's namespace takes, by `engine/name`, and `rest`
 * for the claims that belong to no database: those that one left behind, those
 * that are on their way out, and those that the tenant made itself.
 */
export const footprints = (holdings: Holdings): ReadonlyMap<string, Footprint> => {
  const parts = [...partsOf(holdings)].map(([key, _]) => ({ key, parts: _, claims: claimsOf(holdings.claims, _) }))
  const owned = new Set(parts.flatMap((_) => _.claims))
  return new Map([
    ...parts.map((_) => [_.key, ofParts(_.parts, _.claims)] as const),
    ["rest", sum(holdings.claims.filter((_) => !owned.has(_)).map(ofClaim))] as const
  ])
}
