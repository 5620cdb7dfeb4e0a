import { databaseLimits } from "@portico/contract/Databases"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { type Tier, tiers } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { tierOf } from "../limits/tenantTier.ts"
import { namespaceClaims } from "../kubernetes/quotas.ts"
import { at, bytesOf, gibOf, listAt } from "../kubernetes/fields.ts"
import { claimsOf, type Holdings, holdingsOf, type Parts, partsOf } from "./holdings.ts"
import type { DatabaseRef } from "./database.ts"

/** The share of a tenant's storage that something uses or would use. */
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

/** The API server's numbers of instances are 32 bits long. */
const mostInstances = 2 ** 31 - 1

const times = (instances: unknown, volumes: ReadonlyArray<unknown>): Footprint => {
  const many = Number.isSafeInteger(instances) ? Math.min(Math.max(0, Number(instances)), mostInstances) : 0
  return {
    bytes: many * volumes.reduce<number>((total, size) => total + bytesOf(size), 0),
    claims: many * volumes.length
  }
}

/** The size of a CloudNativePG volume, which may be given in either of two ways. */
export const sizeOf = (storage: unknown): unknown =>
  at(storage, "size") ?? at(storage, "pvcTemplate", "resources", "requests", "storage")

/** For each instance one claim, one more for a separate log volume, and one for each tablespace. */
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

/** The persistent volumes of one node of a pool; the others end with their pod. */
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
 * A database counts with its specified size or its actual size, whichever is larger: claims follow
 * a change of the specification with a delay.
 */
const ofParts = (parts: Parts, claims: ReadonlyArray<KubernetesObject>): Footprint =>
  larger(
    sum([...(parts.cluster === undefined ? [] : [ofCluster(parts.cluster)]), ...(parts.pools ?? []).map(ofPool)]),
    sum(claims.map(ofClaim))
  )

/**
 * The usage of everything in a tenant's namespace, by `engine/name`. `rest` has the claims that
 * belong to no database: those that a deleted one left, those being deleted, and those that the
 * tenant created itself.
 */
export const footprints = (holdings: Holdings): ReadonlyMap<string, Footprint> => {
  const parts = [...partsOf(holdings)].map(([key, _]) => ({ key, parts: _, claims: claimsOf(holdings.claims, _) }))
  const owned = new Set(parts.flatMap((_) => _.claims))
  return new Map([
    ...parts.map((_) => [_.key, ofParts(_.parts, _.claims)] as const),
    ["rest", sum(holdings.claims.filter((_) => !owned.has(_)).map(ofClaim))] as const
  ])
}

/** The size of a database. */
export interface Extent {
  /** The size of each instance, in GiB. */
  readonly size_gb: number
  readonly replicas: number
}

/**
 * The tier that decides a tenant's ceilings. The target of a move that is under way, or that
 * stopped half way, counts already: the namespace's quota was written for it.
 *
 * Errors: 404 for a project without a tier; 409 for a tenant that is being deleted or closed; 503
 * when the tier cannot be read.
 */
export const governingTier = Effect.fnUntraced(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant !== undefined && tenant.closing.length > 0) return yield* Conflict.closing()
  if (tenant !== undefined && tenant.pending_tier !== null) return tenant.pending_tier
  const { suspended, tier } = yield* tierOf(projectId)
  return suspended ? ("suspended" as const) : tier
})

/**
 * Checks a database's size against the limits of every database: the storage of one instance, and
 * of all its instances (contract, Limits). A size that does not grow is not refused.
 *
 * @param held the current size; nothing for a new database
 *
 * Errors: 422 with the arithmetic.
 */
export const withinLimits = Effect.fnUntraced(function* (
  { replicas, size_gb }: Extent,
  held: Extent = { size_gb: 0, replicas: 0 }
) {
  const { size_gb: most, total_gb: mostOfAll } = databaseLimits
  if (size_gb > most && size_gb > held.size_gb) return yield* Unprocessable.databaseInstanceTooLarge(size_gb, most)
  const total = size_gb * replicas
  if (total > mostOfAll && total > held.size_gb * held.replicas) {
    return yield* Unprocessable.databaseTooLarge(size_gb, replicas, mostOfAll)
  }
})

const gib = 1024 ** 3

/**
 * Checks a database's size against its tenant's ceilings: storage by tier, and volume claims. It
 * counts everything in the namespace, whoever created it, and does not use the namespace's quota
 * status, which lags behind. A size that does not grow is not refused.
 *
 * Runs under the lease of the tenant's databases, before anything is written.
 *
 * @param seen the contents of the namespace, if already read under the lease
 *
 * Errors: 409 with the numbers; 404, 409 and 503 as {@link governingTier}; UpstreamError.
 * @returns the tier that decided
 */
export const withinBudget = Effect.fn("databases.withinBudget")(function* (
  { engine, name, namespace, projectId }: DatabaseRef,
  { replicas, size_gb }: Extent,
  seen?: Holdings
) {
  const tier = yield* governingTier(projectId)
  const all = footprints(seen ?? (yield* holdingsOf(namespace)))
  const before = all.get(`${engine}/${name}`) ?? nothing
  const used = [...all.values()].reduce(plus, nothing)
  const growth = {
    bytes: size_gb * replicas * gib - before.bytes,
    claims: replicas - before.claims
  }
  const limit = ceilingsOf(tier)
  if (growth.bytes > 0 && used.bytes + growth.bytes > limit.bytes) {
    return yield* Conflict.ceilingReached("database storage", " GiB", {
      requested: gibOf(growth.bytes),
      used: gibOf(used.bytes),
      limit: gibOf(limit.bytes)
    })
  }
  if (growth.claims > 0 && used.claims + growth.claims > limit.claims) {
    return yield* Conflict.ceilingReached("database volume claims", "", {
      requested: growth.claims,
      used: used.claims,
      limit: limit.claims
    })
  }
  return tier
})

const ceilingsOf = (tier: Tier | "suspended"): Footprint =>
  tier === "suspended" ? nothing : { bytes: tiers[tier].storage_footprint * gib, claims: namespaceClaims }
