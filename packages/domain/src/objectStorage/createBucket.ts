import { Effect } from "effect"
import { listBuckets } from "./buckets.ts"
import { makeBucket } from "./makeBucket.ts"

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
