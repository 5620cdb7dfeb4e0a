import { Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import type { Presigned, PresignedUpload, PresignUpload } from "@portico/contract/ObjectStorage"
import { presignLimits } from "@portico/contract/presignLimits"
import { DateTime, Effect } from "effect"
import { ownBucket, refused } from "./buckets.ts"
import { archivePrefix, isPossibleKey } from "./keyNames.ts"

/**
 * A URL from which anybody can read one object, or one version of it, for 30 to 900 seconds. It is
 * signed with the tenant's current key, and stops working when that key is
 * deleted.
 *
 * Errors: 404 for the bucket and for the object; 502; those of the tenant's
 * key.
 */
export const presign = Effect.fn("objectStorage.presign")(function* (
  projectId: string,
  {
    expiresIn = presignLimits.usual,
    key,
    name,
    versionId
  }: {
    readonly name: string
    readonly key: string
    readonly expiresIn?: number | undefined
    readonly versionId?: string | undefined
  }
) {
  const bucket = yield* ownBucket(projectId, name)
  if (!isPossibleKey(key) || !(yield* Effect.mapError(bucket.hasObject(name, key, versionId), refused(name))))
    return yield* NotFound.object(key)
  const { expiresAt, url } = yield* bucket.presign({ bucket: name, key, seconds: expiresIn, versionId })
  return { url, method: "GET", expires_in: expiresIn, expires_at: DateTime.formatIso(expiresAt) } satisfies Presigned
})

/**
 * A URL with which anybody can upload one object of a given size once or more,
 * for 30 to 300 seconds. It is signed with the tenant's current key, and stops
 * working when that key is deleted. Unless it may overwrite, the object gateway
 * refuses the upload when the object exists by then. The quota of the tenant
 * counts at the upload.
 *
 * Errors: 404 for the bucket; 409 for the archive of the databases, and for an
 * object that exists; 422 for a key that no object can have; 502; those of the
 * tenant's key.
 */
export const presignUpload = Effect.fn("objectStorage.presignUpload")(function* (
  projectId: string,
  { key, name }: { readonly name: string; readonly key: string },
  { content_length, content_type, expires_in, overwrite }: PresignUpload
) {
  const bucket = yield* ownBucket(projectId, name)
  if (!isPossibleKey(key)) return yield* Unprocessable.objectKey()
  if (name.startsWith(archivePrefix(projectId))) return yield* Conflict.bucketManaged(name)
  if (!overwrite && (yield* Effect.mapError(bucket.hasObject(name, key), refused(name)))) {
    return yield* Conflict.objectExists(key)
  }
  const headers = {
    ...(content_type === undefined ? {} : { "content-type": content_type }),
    ...(overwrite ? {} : { "if-none-match": "*" })
  }
  const { expiresAt, url } = yield* bucket.presignUpload({
    bucket: name,
    key,
    seconds: expires_in,
    headers: { ...headers, "content-length": String(content_length) }
  })
  const expires_at = DateTime.formatIso(expiresAt)
  return { url, method: "PUT", headers, content_length, expires_in, expires_at } satisfies PresignedUpload
})
