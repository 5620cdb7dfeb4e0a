import type { BucketCors, BucketCorsDeleted, BucketCorsUpdate } from "@portico/contract/BucketCors"
import { Effect } from "effect"
import { ownBucket, refused } from "./buckets.ts"

/**
 * A bucket's CORS rules; none for a bucket that has no configuration.
 *
 * Errors: 404; 502; those of the tenant's key.
 */
export const showCors = Effect.fn("objectStorage.showCors")(function* (projectId: string, name: string) {
  const bucket = yield* ownBucket(projectId, name)
  const rules = yield* Effect.mapError(bucket.cors(name), refused(name))
  return {
    bucket: name,
    rules: rules.map((_) => ({
      allowed_origins: _.origins,
      allowed_methods: _.methods,
      allowed_headers: _.headers,
      expose_headers: _.exposed,
      max_age_seconds: _.maxAgeSeconds ?? null
    }))
  } satisfies BucketCors
})

/**
 * Replaces a bucket's CORS rules.
 *
 * Errors: 404; 422 with the object gateway's message; 502; those of the
 * tenant's key.
 */
export const setCors = Effect.fn("objectStorage.setCors")(function* (
  projectId: string,
  name: string,
  { rules }: BucketCorsUpdate
) {
  const bucket = yield* ownBucket(projectId, name)
  const wanted = rules.map((_) => ({
    origins: _.allowed_origins,
    methods: _.allowed_methods,
    headers: _.allowed_headers,
    exposed: _.expose_headers,
    maxAgeSeconds: _.max_age_seconds ?? undefined
  }))
  yield* Effect.mapError(bucket.setCors(name, wanted), refused(name))
  return { bucket: name, rules } satisfies BucketCors
})

/**
 * Deletes a bucket's CORS rules. A bucket without rules is no error.
 *
 * Errors: 404; 502; those of the tenant's key.
 */
export const removeCors = Effect.fn("objectStorage.removeCors")(function* (projectId: string, name: string) {
  const bucket = yield* ownBucket(projectId, name)
  yield* Effect.mapError(bucket.removeCors(name), refused(name))
  return { bucket: name, deleted: true } satisfies BucketCorsDeleted
})
