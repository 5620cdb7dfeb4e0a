import type { ObjectStorageUsage, Quotas } from "@portico/contract/Quotas"
import { serviceQuotas, type Tier } from "@portico/contract/Tiers"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { Effect } from "effect"
import { unlessUnavailable } from "./usage.ts"

/** The object gateway takes 0 buckets as unlimited, and a negative number as none. */
const bucketLimit = (most: number): number => (most === 0 ? -1 : Math.max(0, most))

const byteLimit = (maximum: number): number => (maximum < 0 ? -1 : maximum)

/**
 * Buckets, and bytes with all versions and unfinished uploads: the tier's
 * limit, the limit that the object gateway enforces for the tenant's S3 user,
 * and the usage. Costs two calls, however many buckets there are; when one of
 * them fails, both rows are unavailable.
 */
export const objectStorage = Effect.fn("quotas.objectStorage")(function* (
  projectId: string,
  tier: Tier,
  suspended: boolean
) {
  const rgw = yield* Rgw
  const { max_buckets, max_size } = serviceQuotas(tier).rgw
  const limits = suspended ? { buckets: 0, bytes: 0 } : { buckets: max_buckets, bytes: max_size }
  const read = Effect.all([rgw.readQuotas(projectId), rgw.listBuckets(projectId)], { concurrency: "unbounded" })
  const found = yield* unlessUnavailable("rgw", read)
  if (found === undefined) return { buckets: unavailable(limits.buckets), bytes: unavailable(limits.bytes) }
  const [quotas, buckets] = found
  // Without a user nothing is enforced, and nothing is used.
  if (quotas === undefined) return { buckets: unused(limits.buckets), bytes: unused(limits.bytes) }
  const bytes = buckets.reduce((sum, _) => sum + _.sizeBytes, 0)
  return {
    buckets: row(limits.buckets, bucketLimit(quotas.max_buckets), buckets.length),
    bytes: row(limits.bytes, byteLimit(quotas.max_size), bytes)
  } satisfies Quotas["object_storage"]
})

const row = (limit: number, enforced: number, used: number): ObjectStorageUsage => ({
  limit,
  enforced,
  used,
  source: "rgw",
  matches_tier: limit === enforced
})

const unused = (limit: number): ObjectStorageUsage => ({
  limit,
  enforced: null,
  used: 0,
  source: "tier",
  matches_tier: null
})

const unavailable = (limit: number): ObjectStorageUsage => ({
  limit,
  enforced: null,
  used: null,
  source: "unavailable",
  matches_tier: null
})
