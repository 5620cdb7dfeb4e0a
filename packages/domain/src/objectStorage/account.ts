import { Rgw } from "@portico/upstream/rgw/Rgw"
import { S3 } from "@portico/upstream/rgw/S3"
import type { S3Key } from "@portico/upstream/rgw/keys"
import { Conflict, Forbidden } from "@portico/contract/Failures"
import { Tenants } from "@portico/store/Tenants"
import { DateTime, Effect, type Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { badGateway } from "../badGateway.ts"
import { accessKeyOf, currentOf, madeAt, ownKeys } from "./keyNames.ts"
import { stampQuota } from "./stampQuota.ts"
import { exclusively } from "../work/exclusively.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"

/** The key that signs a tenant's S3 requests, and the endpoint that takes them. */
export interface TenantKey {
  /** `tenant$<project_id>` */
  readonly uid: string
  readonly accessKey: string
  readonly secretKey: Redacted.Redacted
  /** Where S3 clients reach the object gateway. */
  readonly endpoint: string
}

/**
 * The highest number of key pairs of a tenant: more than an overlap of old and
 * new ones needs, and few enough to read whole.
 */
export const keyCeiling = 10

/**
 * The tenant's current S3 key. The first use creates the S3 user, with the
 * tier's quota, and a key pair. A key that an earlier call created before its
 * answer was lost is found and reused. Takes the lease itself: under the lease,
 * use {@link tenantKeyUnderLease}. For a tenant that is being deleted or closed,
 * or is suspended, nothing is created.
 *
 * Errors: for such a tenant without a key, 409 when it is closing and 403 when
 * it is suspended; 503 and 404 of the tier, 409 while another change is under
 * way, 502.
 */
export const tenantKey = Effect.fn("objectStorage.tenantKey")(function* (projectId: string) {
  const found = yield* currentKey(projectId)
  if (found !== undefined) return found
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant !== undefined && tenant.closing.length > 0) return yield* Conflict.closing()
  if (tenant?.suspended === true) return yield* Forbidden.tenantSuspended()
  return yield* changingObjectStorage(projectId, tenantKeyUnderLease(projectId))
})

/** {@link tenantKey} for a caller that holds the lease. */
export const tenantKeyUnderLease = Effect.fnUntraced(function* (projectId: string) {
  const found = yield* currentKey(projectId)
  return found ?? (yield* mintKey(projectId))
})

/** The current key, without creating anything; undefined for a tenant without a user or a key. */
export const currentKey = Effect.fnUntraced(function* (projectId: string) {
  const rgw = yield* Rgw
  const keys = yield* Effect.mapError(rgw.listKeys(projectId), badGateway)
  const current = currentOf(rgw.uid(projectId), keys ?? [])
  return current && (yield* asTenantKey(projectId, current))
})

/**
 * Creates a key pair that is newer than all others. The caller holds the lease.
 *
 * Errors: 409 with the numbers at {@link keyCeiling}, and those of {@link
 * tenantKey}.
 */
export const mintKey = Effect.fnUntraced(function* (projectId: string) {
  const rgw = yield* Rgw
  const uid = rgw.uid(projectId)
  const keys = yield* Effect.mapError(rgw.listKeys(projectId), badGateway)
  const own = ownKeys(keys ?? [])
  if (own.length >= keyCeiling)
    return yield* Conflict.ceilingReached("S3 keys", "", { requested: 1, used: own.length, limit: keyCeiling })
  // Without one of our keys the user may be missing, or an earlier call may have stopped before it wrote the quota.
  if (currentOf(uid, own) === undefined)
    yield* Effect.catchTags(stampQuota(projectId), { UpstreamError: badGateway, Taken: badGateway })
  const accessKey = accessKeyOf(uid, yield* creationTime(uid, own), randomBytes(4).toString("hex"))
  return yield* asTenantKey(projectId, yield* Effect.mapError(rgw.createKey(projectId, accessKey), badGateway))
})

/** The current time, or a millisecond after the newest key when a clock that was ahead has named it. */
const creationTime = Effect.fnUntraced(function* (uid: string, keys: ReadonlyArray<S3Key>) {
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

const busy = () => Conflict.concurrentChange("the object storage of the tenant")

/**
 * Runs a change of a tenant's buckets and keys under the tenant's lease, and to
 * its end even when the client disconnects.
 */
export const changingObjectStorage = <A, E, R>(projectId: string, change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(RunToCompletion, (_) => _.run(exclusively(`object-storage/${projectId}`, busy)(change)))
