import { NotFound } from "@portico/contract/Failures"
import type { Presigned } from "@portico/contract/ObjectStorage"
import { presignLimits } from "@portico/contract/presignLimits"
import { DateTime, Effect } from "effect"
import { ownBucket, refused } from "./buckets.ts"

/** In bytes of UTF-8; the limit of S3. */
const longestKey = 1024

/**
 * A URL from which anybody can read one object, for 30 to 900 seconds. It is
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
    name
  }: { readonly name: string; readonly key: string; readonly expiresIn?: number | undefined }
) {
  const bucket = yield* ownBucket(projectId, name)
  // The object gateway rejects NUL in a key, so no object has such a key.
  const possible = key !== "" && !key.includes("\0") && Buffer.byteLength(key) <= longestKey
  if (!possible || !(yield* Effect.mapError(bucket.hasObject(name, key), refused(name))))
    return yield* NotFound.object(key)
  const { expiresAt, url } = yield* bucket.presign({ bucket: name, key, seconds: expiresIn })
  return { url, method: "GET", expires_in: expiresIn, expires_at: DateTime.formatIso(expiresAt) } satisfies Presigned
})
