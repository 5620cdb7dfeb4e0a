import { NotFound } from "@portico/contract/Failures"
import type { S3KeyDeleted, S3KeyList } from "@portico/contract/ObjectStorage"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { currentOf, madeAt, ownKeys } from "./keyNames.ts"
import { changingObjectStorage } from "./account.ts"

const keysOf = Effect.fnUntraced(function* (projectId: string) {
  return ownKeys((yield* Effect.mapError((yield* Rgw).listKeys(projectId), badGateway)) ?? [])
})

/**
 * The tenant's S3 keys without their secrets, sorted by name. The names of keys
 * made here sort by creation time.
 *
 * Errors: 502.
 */
export const listKeys = Effect.fn("objectStorage.listKeys")(function* (projectId: string) {
  const uid = (yield* Rgw).uid(projectId)
  const keys = yield* keysOf(projectId)
  const current = currentOf(uid, keys)
  return {
    count: keys.length,
    keys: keys.map(({ accessKey }) => {
      const at = madeAt(uid, accessKey)
      return {
        access_key: accessKey,
        created_at: at === undefined ? null : DateTime.formatIso(at),
        current: accessKey === current?.accessKey
      }
    })
  } satisfies S3KeyList
})

/**
 * Deletes one of the tenant's S3 keys; from then on the object gateway refuses
 * what is signed with it. The last key may be deleted too: the next call that
 * needs a key makes one.
 *
 * Errors: 404 for a key that is not the tenant's own; 409 while another change
 * is under way; 502.
 */
export const removeKey = Effect.fn("objectStorage.removeKey")(function* (projectId: string, accessKey: string) {
  const remove = Effect.gen(function* () {
    const found = (yield* keysOf(projectId)).some((_) => _.accessKey === accessKey)
    if (!found) return yield* NotFound.s3Key(accessKey)
    yield* Effect.mapError((yield* Rgw).removeKey(projectId, accessKey), badGateway)
    return { access_key: accessKey, deleted: true } satisfies S3KeyDeleted
  })
  return yield* changingObjectStorage(projectId, remove)
})
