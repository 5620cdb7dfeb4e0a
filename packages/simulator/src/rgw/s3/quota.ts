import { Result } from "effect"
import type { Step } from "../../Wire.ts"
import { type Bucket, type Quota, type RgwState, type RgwUser, type Usage } from "../state.ts"
import { usageOf } from "../users.ts"
import { refuseS3 } from "./answers.ts"
import { inBlocks } from "./store.ts"

/** Sizes in blocks, unless the quota counts raw bytes. A negative limit is unlimited, and 0 allows nothing. */
const exceeded = (quota: Quota, used: Usage, size: number): boolean => {
  if (!quota.enabled) return false
  const [has, more] = quota.check_on_raw ? [used.size, size] : [used.size_actual, inBlocks(size)]
  const tooLarge = quota.max_size >= 0 && has + more > quota.max_size
  return tooLarge || (quota.max_objects >= 0 && used.num_objects + 1 > quota.max_objects)
}

/**
 * Whether the quotas allow one more object of that size: the bucket's own quota or else the user's default for
 * buckets, and the user's total. The replaced object is not subtracted.
 */
export const within = (rgw: RgwState, user: RgwUser, bucket: Bucket, size: number): Step<void> => {
  const own = bucket.bucket_quota.enabled ? bucket.bucket_quota : user.bucket_quota
  return exceeded(own, bucket, size) || exceeded(user.user_quota, usageOf(rgw, user), size)
    ? refuseS3("QuotaExceeded", bucket.bucket)
    : Result.void
}
