import { Conflict } from "@portico/contract/Failures"
import { tiers } from "@portico/contract/Tiers"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { S3 } from "@portico/upstream/rgw/S3"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { refusal } from "../refusal.ts"
import { tenantKeyInTurn } from "./account.ts"
import { changingObjectStorage } from "./lease.ts"
import { stampQuota } from "./stampQuota.ts"

/**
 * Makes a bucket of a tenant, after the contract's admission: the tier is
 * resolved, the S3 user's quota written again, the buckets counted against the
 * tier's maximum. A bucket that the tenant has already is no error, and takes
 * no room; so a repeat after a lost answer is the same as the first time.
 *
 * Errors: 503 when the tier cannot be read, and then nothing was asked of the
 * object gateway; 404 for a project without one; 409 with the numbers when
 * there is no room, when the name is somebody else's, and while another change
 * is under way; 422 for a name that the object gateway refuses; 502.
 */
export const makeBucket = Effect.fn("objectStorage.makeBucket")(function* (projectId: string, name: string) {
  const make = Effect.gen(function* () {
    const rgw = yield* Rgw
    const { suspended, tier } = yield* stampQuota(projectId)
    const limit = suspended ? 0 : tiers[tier].buckets
    const buckets = yield* rgw.listBuckets(projectId)
    if (buckets.some((_) => _.name === name)) return
    const full = Conflict.ceilingReached("buckets", "", { requested: 1, used: buckets.length, limit })
    if (buckets.length >= limit) return yield* full
    const key = yield* tenantKeyInTurn(projectId)
    yield* Effect.mapError((yield* S3).as(key).createBucket(name), refusedBucket(name, full))
  })
  yield* changingObjectStorage(projectId, Effect.catchTags(make, { UpstreamError: badGateway, Taken: badGateway }))
})

const refusedBucket = (name: string, full: Conflict<"ceiling_reached">) => (error: UpstreamError) => {
  switch (error.code) {
    case "BucketAlreadyExists":
    case "BucketAlreadyOwnedByYou":
      return Conflict.bucketNameTaken(name)
    // Somebody with the tenant's S3 key was faster: past this gateway, whose own count was in turn.
    case "TooManyBuckets":
      return full
    default:
      return refusal(error)
  }
}
