import { Conflict, NotFound } from "@portico/contract/Failures"
import type { BucketDeleted, BucketList } from "@portico/contract/ObjectStorage"
import { tiers } from "@portico/contract/Tiers"
import type { BucketStats } from "@portico/upstream/rgw/buckets"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { S3 } from "@portico/upstream/rgw/S3"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { refusal } from "../refusal.ts"
import { changingObjectStorage, tenantKey, tenantKeyUnderLease } from "./account.ts"
import { archivePrefix } from "./keyNames.ts"
import { stampQuota } from "./stampQuota.ts"

/**
 * A tenant's buckets with their usage, sorted by name. Costs one call to the
 * object gateway, however many buckets there are.
 *
 * Errors: 502.
 */
export const listBuckets = Effect.fn("objectStorage.listBuckets")(function* (projectId: string) {
  const { endpoint } = yield* S3
  const found = yield* Effect.mapError((yield* Rgw).listBuckets(projectId), badGateway)
  return {
    buckets: found.map((_) => toWire(projectId, _)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    count: found.length,
    endpoint
  } satisfies BucketList
})

const toWire = (projectId: string, { modified, name, objects, sizeBytes }: BucketStats) => ({
  name,
  objects,
  size_bytes: sizeBytes,
  modified: DateTime.formatIso(modified),
  managed_by: name.startsWith(archivePrefix(projectId)) ? ("databases" as const) : null
})

/**
 * Creates a bucket, and answers with all of the tenant's. When the list cannot
 * be read the bucket exists nevertheless, and a repeat of the request returns
 * it.
 *
 * Errors: those of {@link makeBucket}, and 502.
 */
export const createBucket = Effect.fn("objectStorage.createBucket")(function* (projectId: string, name: string) {
  yield* makeBucket(projectId, name)
  return yield* listBuckets(projectId)
})

/**
 * Creates a bucket of a tenant, after the contract's admission: the tier is
 * resolved, the S3 user's quota is written again, and the buckets are counted
 * against the tier's maximum. A bucket that the tenant already has is no error
 * and is not counted again, so a repeat after a lost answer succeeds.
 *
 * Errors: 503 when the tier cannot be read, before any call to the object
 * gateway; 404 for a project without a tier; 409 with the numbers at the
 * ceiling; 409 for a name that another customer has, and while another change
 * is under way; 422 for a name that the object gateway refuses; 502.
 */
export const makeBucket = Effect.fn("objectStorage.makeBucket")(function* (projectId: string, name: string) {
  const make = Effect.gen(function* () {
    const rgw = yield* Rgw
    const { suspended, tier } = yield* stampQuota(projectId)
    const limit = suspended ? 0 : tiers[tier].buckets
    const buckets = yield* rgw.listBuckets(projectId)
    if (buckets.some((_) => _.name === name)) return
    const full = Conflict.ceilingReached("buckets", "", { requested: 1, used: buckets.length, limit })
    if (buckets.length >= limit) return yield* full
    const key = yield* tenantKeyUnderLease(projectId)
    yield* Effect.mapError((yield* S3).as(key).createBucket(name), refusedBucket(name, full))
  })
  yield* changingObjectStorage(projectId, Effect.catchTags(make, { UpstreamError: badGateway, Taken: badGateway }))
})

const refusedBucket = (name: string, full: Conflict<"ceiling_reached">) => (error: UpstreamError) => {
  switch (error.code) {
    case "BucketAlreadyExists":
    case "BucketAlreadyOwnedByYou":
      return Conflict.bucketNameTaken(name)
    // A client with the tenant's S3 key created a bucket at the object gateway directly, after this call had counted.
    case "TooManyBuckets":
      return full
    default:
      return refusal(error)
  }
}

/**
 * Deletes an empty bucket of the tenant's.
 *
 * Errors: 404; 409 while it has any content, old versions, delete markers and
 * unfinished uploads included; 502; those of the tenant's key.
 */
export const removeBucket = Effect.fn("objectStorage.removeBucket")(function* (projectId: string, name: string) {
  const bucket = yield* ownBucket(projectId, name)
  const isFilling = yield* Effect.mapError(bucket.hasUploads(name), refused(name))
  if (isFilling) return yield* Conflict.bucketNotEmpty(name)
  yield* Effect.mapError(bucket.deleteBucket(name), (error) =>
    error.code === "BucketNotEmpty" ? Conflict.bucketNotEmpty(name) : refused(name)(error)
  )
  return { name, deleted: true } satisfies BucketDeleted
})

/** Maps the object gateway's refusal about a bucket, which may have been deleted since it was found. */
export const refused = (bucket: string) => (error: UpstreamError) =>
  error.code === "NoSuchBucket" ? NotFound.bucket(bucket) : refusal(error)

/** Names that a bucket can have and that the SDK does not resolve as something else, such as an access point alias. */
const possible = /^(?!.*(--x-s3|--ol-s3|--table-s3|-s3alias|\.mrap)$)[A-Za-z0-9][\w.-]{2,254}$/

/**
 * The S3 client for one of the tenant's own buckets. The admin API decides the
 * ownership: a bucket that another customer has opened to the public is a 404
 * too.
 *
 * Errors: 404; 502; those of the tenant's key.
 */
export const ownBucket = Effect.fnUntraced(function* (projectId: string, name: string) {
  if (!possible.test(name)) return yield* NotFound.bucket(name)
  const found = yield* Effect.mapError((yield* Rgw).findBucket(projectId, name), badGateway)
  if (found === undefined) return yield* NotFound.bucket(name)
  return (yield* S3).as(yield* tenantKey(projectId))
})
