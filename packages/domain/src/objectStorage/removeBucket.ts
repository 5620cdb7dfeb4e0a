import { Conflict } from "@portico/contract/Failures"
import type { BucketDeleted } from "@portico/contract/ObjectStorage"
import { Effect } from "effect"
import { ownBucket } from "./ownBucket.ts"
import { refused } from "./refused.ts"

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
