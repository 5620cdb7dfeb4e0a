import { Conflict, NotFound } from "@portico/contract/Failures"
import type { ObjectDeleted } from "@portico/contract/ObjectVersions"
import { Effect } from "effect"
import { ownBucket, refused } from "./buckets.ts"
import { archivePrefix, isPossibleKey } from "./keyNames.ts"

/**
 * Deletes an object, or one of its versions for good. An absent object is a 404
 * and gets no delete marker, so a repeat of the call piles up none. A version
 * that is gone is no error.
 *
 * Errors: 404 for the bucket and the object; 409 for the archive of the
 * databases; 502; those of the tenant's key.
 */
export const removeObject = Effect.fn("objectStorage.removeObject")(function* (
  projectId: string,
  { key, name, versionId }: { readonly name: string; readonly key: string; readonly versionId?: string | undefined }
) {
  const bucket = yield* ownBucket(projectId, name)
  if (!isPossibleKey(key)) return yield* NotFound.object(key)
  if (name.startsWith(archivePrefix(projectId))) return yield* Conflict.bucketManaged(name)
  if (versionId === undefined && !(yield* Effect.mapError(bucket.hasObject(name, key), refused(name))))
    return yield* NotFound.object(key)
  const removed = yield* Effect.mapError(bucket.removeObject({ bucket: name, key, versionId }), refused(name))
  return {
    bucket: name,
    key,
    version_id: removed.versionId ?? versionId ?? null,
    delete_marker: removed.isMarker,
    deleted: true
  } satisfies ObjectDeleted
})
