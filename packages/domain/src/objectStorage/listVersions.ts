import { versionAfterOf, versionContinuationOf } from "@portico/contract/continuation"
import type { ObjectVersionPage } from "@portico/contract/ObjectVersions"
import { pageLimits } from "@portico/contract/Page"
import type { S3Version } from "@portico/upstream/rgw/versions"
import { DateTime, Effect } from "effect"
import { ownBucket, refused } from "./buckets.ts"

/**
 * One page of the versions and delete markers in a bucket: those whose keys
 * begin with `prefix`, in the byte order of the keys, newest first.
 *
 * Errors: 404; 502; those of the tenant's key.
 */
export const listVersions = Effect.fn("objectStorage.listVersions")(function* (
  projectId: string,
  name: string,
  query: { readonly prefix?: string; readonly continuation_token?: string; readonly limit?: number }
) {
  const { continuation_token, limit = pageLimits.usual, prefix = "" } = query
  const bucket = yield* ownBucket(projectId, name)
  const after = continuation_token === undefined ? undefined : versionAfterOf(continuation_token)
  const { next, versions } = yield* Effect.mapError(
    bucket.listVersions({ bucket: name, prefix, limit, after }),
    refused(name)
  )
  return {
    bucket: name,
    prefix,
    versions: versions.map(toWire),
    next_continuation_token: next === undefined ? null : versionContinuationOf(next)
  } satisfies ObjectVersionPage
})

const toWire = ({ content, key, latest, modified, versionId }: S3Version) => ({
  key,
  version_id: versionId,
  latest,
  delete_marker: content === undefined,
  size_bytes: content?.sizeBytes ?? null,
  modified: DateTime.formatIso(modified),
  etag: content?.etag ?? null,
  storage_class: content?.storageClass ?? null
})
