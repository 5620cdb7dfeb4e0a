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
import { tenantKey, tenantKeyInTurn } from "./account.ts"
import { archivePrefix } from "./archiveNames.ts"
import { changingObjectStorage } from "./lease.ts"
import { stampQuota } from "./stampQuota.ts"

/**
 * A tenant's buckets with what is in them, by name: one call to the object
 * gateway, however many they are.
 *
 * Errors: 502.
 */
export const listBuckets = Effect.fn("objectStorage.listBuckets")(function* (projectId: string) {
  const { endpoint } = yield* S3
  const found = yield* Effect.mapError((yield* Rgw).listBuckets(projectId), badGateway)
  return {
    buckets: found.map((_) => bucketRow(projectId, _)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    count: found.length,
    endpoint
  } satisfies BucketList
})

const bucketRow = (projectId: string, { modified, name, objects, sizeBytes }: BucketStats) => ({
  name,
  objects,
  size_bytes: sizeBytes,
  modified: DateTime.formatIso(modified),
  managed_by: name.startsWith(archivePrefix(projectId)) ? ("databases" as const) : null
})

/**
 * Makes a bucket, and answers with all of the tenant's. When the list cannot be
 * read the bucket is there all the same, and the same request is answered with
 * it the next time.
 *
 * Errors: those of {@link makeBucket}, and 502.
 */
export const createBucket = Effect.fn("objectStorage.createBucket")(function* (projectId: string, name: string) {
  yield* makeBucket(projectId, name)
  return yield* listBuckets(projectId)
})

/**
 * Makes a bucket of a tenant, after the contract's admission: the tier is
 * resolved, the S3 user's quota written again, the buckets counted against the
 * tier's maximum. A bucket that the tenant has already is no error, and takes
 * no room; so a repeat after a lost answer is the same as the first time.
 *
 * Errors: 503 when the tier cannot be read, and then nothing was asked of the
 * object gateway; 404 for a project without one; 409 with the numbers when
 * there is no room, when the name is somebody else's, and while another change
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
    const key = yield* tenantKeyInTurn(projectId)
    yield* Effect.mapError((yield* S3).as(key).createBucket(name), refusedBucket(name, full))
  })
  yield* changingObjectStorage(projectId, Effect.catchTags(make, { UpstreamError: badGateway, Taken: badGateway }))
})

const refusedBucket = (name: string, full: Conflict<"ceiling_reached">) => (error: UpstreamError) => {
  switch (error.code) {
    case "BucketAlreadyExists":
    case "BucketAlreadyOwnedByYou":
      return Conflict.bucketNameTaken(name)
    // Somebody with the tenant's S3 key was faster: past this gateway, whose own count was in turn.
    case "TooManyBuckets":
      return full
    default:
      return refusal(error)
  }
}

/**
 * Deletes an empty bucket of the tenant's.
 *
 * Errors: 404; 409 while there is anything in it, old versions, delete markers
 * and unfinished uploads too; 502; those of the tenant's key.
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

/** What the object gateway refuses about a bucket, which may have gone since it was looked for. */
export const refused = (bucket: string) => (error: UpstreamError) =>
  error.code === "NoSuchBucket" ? NotFound.bucket(bucket) : refusal(error)

/** Names that a bucket can have, whoever made it, and that the SDK takes for nothing else. */
const possible = /^(?!.*(--x-s3|--ol-s3|--table-s3|-s3alias|\.mrap)$)[A-Za-z0-9][\w.-]{2,254}$/

/**
 * What can be done in one of the tenant's own buckets. Whose it is, is asked of
 * the administrator's side: another customer may have opened a bucket to
 * everybody, and it is not there all the same.
 *
 * Errors: 404; 502; those of the tenant's key.
 */
export const ownBucket = Effect.fnUntraced(function* (projectId: string, name: string) {
  if (!possible.test(name)) return yield* NotFound.bucket(name)
  const found = yield* Effect.mapError((yield* Rgw).findBucket(projectId, name), badGateway)
  if (found === undefined) return yield* NotFound.bucket(name)
  return (yield* S3).as(yield* tenantKey(projectId))
})
