import { afterOf, continuationOf } from "@portico/contract/continuation"
import type { ObjectPage } from "@portico/contract/ObjectStorage"
import { pageLimits } from "@portico/contract/Page"
import { DateTime, Effect } from "effect"
import { ownBucket, refused } from "./buckets.ts"

/**
 * One page of a bucket's objects: those whose keys begin with `prefix`, in the
 * byte order of the keys. With a delimiter, the keys that have it after the
 * prefix are represented by their common prefixes. A page starts after a key and not at an offset, so
 * objects created or deleted between two pages shift nothing.
 *
 * Errors: 404; 502; those of the tenant's key.
 */
export const listObjects = Effect.fn("objectStorage.listObjects")(function* (
  projectId: string,
  name: string,
  query: {
    readonly prefix?: string
    readonly delimiter?: string
    readonly continuation_token?: string
    readonly limit?: number
  }
) {
  const { continuation_token, delimiter, limit = pageLimits.usual, prefix = "" } = query
  const bucket = yield* ownBucket(projectId, name)
  const after = continuation_token === undefined ? undefined : afterOf(continuation_token)
  const { commonPrefixes, next, objects } = yield* Effect.mapError(
    bucket.listObjects({ bucket: name, prefix, delimiter, limit, after }),
    refused(name)
  )
  return {
    bucket: name,
    prefix,
    common_prefixes: commonPrefixes,
    objects: objects.map(({ etag, key, modified, sizeBytes, storageClass }) => ({
      key,
      size_bytes: sizeBytes,
      modified: DateTime.formatIso(modified),
      etag,
      storage_class: storageClass ?? null
    })),
    next_continuation_token: next === undefined ? null : continuationOf(next)
  } satisfies ObjectPage
})
