import { Rgw } from "@portico/upstream/rgw/Rgw"
import { S3 } from "@portico/upstream/rgw/S3"
import type { S3Key } from "@portico/upstream/rgw/keys"
import { Conflict } from "@portico/contract/Failures"
import { DateTime, Effect, type Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { badGateway } from "../badGateway.ts"
import { accessKeyOf, currentOf, madeAt, ownKeys } from "./keyNames.ts"
import { changingObjectStorage } from "./lease.ts"
import { stampQuota } from "./stampQuota.ts"

/** What a tenant's S3 requests are signed with, and where they go. */
export interface TenantKey {
  /** `tenant$<project_id>` */
  readonly uid: string
  readonly accessKey: string
  readonly secretKey: Redacted.Redacted
  /** Where S3 clients reach the object gateway. */
  readonly endpoint: string
}

/** More pairs than anybody needs in an overlap, and few enough to look through. */
export const keyCeiling = 10

/**
 * The tenant's current S3 key. On first use its S3 user is made, with the
 * tier's quota, and a pair of keys; what a lost answer has left is found again.
 * To be called outside of the lease: see {@link tenantKeyInTurn}.
 *
 * Errors: 503 and 404 of the tier, 409 while another change is under way, 502.
 */
export const tenantKey = Effect.fn("objectStorage.tenantKey")(function* (projectId: string) {
  const found = yield* currentKey(projectId)
  return found ?? (yield* changingObjectStorage(projectId, tenantKeyInTurn(projectId)))
})

/** The same by whoever holds the lease already. */
export const tenantKeyInTurn = Effect.fnUntraced(function* (projectId: string) {
  const found = yield* currentKey(projectId)
  return found ?? (yield* mintKey(projectId))
})

/** Without making anything; undefined for a tenant without a user or a key. */
export const currentKey = Effect.fnUntraced(function* (projectId: string) {
  const rgw = yield* Rgw
  const keys = yield* Effect.mapError(rgw.listKeys(projectId), badGateway)
  const current = currentOf(rgw.uid(projectId), keys ?? [])
  return current && (yield* asTenantKey(projectId, current))
})

/**
 * One more pair of keys, newer than all there are. Under the lease.
 *
 * Errors: 409 when there are as many as there may be, and those of {@link tenantKey}.
 */
export const mintKey = Effect.fnUntraced(function* (projectId: string) {
  const rgw = yield* Rgw
  const uid = rgw.uid(projectId)
  const keys = yield* Effect.mapError(rgw.listKeys(projectId), badGateway)
  const own = ownKeys(keys ?? [])
  if (own.length >= keyCeiling)
    return yield* Conflict.ceilingReached("S3 keys", "", { requested: 1, used: own.length, limit: keyCeiling })
  // Without a key of ours there may be no user, or one whose quota an earlier call did not come to write.
  if (currentOf(uid, own) === undefined)
    yield* Effect.catchTags(stampQuota(projectId), { UpstreamError: badGateway, Taken: badGateway })
  const accessKey = accessKeyOf(uid, yield* momentBehind(uid, own), randomBytes(4).toString("hex"))
  return yield* asTenantKey(projectId, yield* Effect.mapError(rgw.createKey(projectId, accessKey), badGateway))
})

/** Now, unless a clock that was ahead has made a newer key. */
const momentBehind = Effect.fnUntraced(function* (uid: string, keys: ReadonlyArray<S3Key>) {
  const now = yield* DateTime.now
  const newest = currentOf(uid, keys)
  const at = newest && madeAt(uid, newest.accessKey)
  return at === undefined || DateTime.isLessThan(at, now) ? now : DateTime.add(at, { milliseconds: 1 })
})

const asTenantKey = Effect.fnUntraced(function* (projectId: string, { accessKey, secretKey }: S3Key) {
  return {
    uid: (yield* Rgw).uid(projectId),
    accessKey,
    secretKey,
    endpoint: (yield* S3).endpoint
  } satisfies TenantKey
})
