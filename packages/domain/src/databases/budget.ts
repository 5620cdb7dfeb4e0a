import { databaseLimits } from "@portico/contract/Databases"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { type Tier, tiers } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"
import { namespaceClaims } from "../kubernetes/quotas.ts"
import { tierOf } from "../ceilings/tenantTier.ts"
import { type Footprint, footprints, nothing, plus } from "./footprint.ts"
import { type Holdings, holdingsOf } from "./holdings.ts"
import type { Place } from "./place.ts"
import { gibOf } from "./quantity.ts"

/** What a database is to be. */
export interface Extent {
  /** Of each instance, in GiB. */
  readonly size_gb: number
  readonly replicas: number
}

/**
 * What a tenant's ceilings follow from. A move that is under way, or stopped
 * half way, counts already: it is what the namespace's quota was written for.
 *
 * Errors: 404 for a project without a tier; 409 for a tenant that is being
 * deleted or closed; 503 when the tier cannot be read.
 */
export const governingTier = Effect.fnUntraced(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant !== undefined && tenant.closing.length > 0) return yield* Conflict.closing()
  if (tenant !== undefined && tenant.pending_tier !== null) return tenant.pending_tier
  const { suspended, tier } = yield* tierOf(projectId)
  return suspended ? ("suspended" as const) : tier
})

/**
 * Holds what a database is to be to the limits of every database: so much an
 * instance, and so much over all of them (contract, Limits). What does not grow
 * is not refused.
 *
 * @param held what it is now; nothing for a new one
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
 * Holds what a database is to be to its tenant's ceilings: storage by the tier,
 * and volume claims. Counted is what is in the namespace, whoever made it, and
 * not what its quota says, which lags behind. What does not grow is not refused.
 *
 * Under the lease of the tenant's databases, and before anything is written.
 *
 * @param seen what is in the namespace, when it was read under the lease
 *
 * Errors: 409 with the numbers; 404, 409 and 503 as {@link governingTier}; UpstreamError.
 * @returns the tier that decided
 */
export const withinBudget = Effect.fn("databases.withinBudget")(function* (
  { engine, name, namespace, projectId }: Place,
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
