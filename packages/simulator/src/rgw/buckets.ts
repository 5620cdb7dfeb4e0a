import { Result } from "effect"
import type { Answer } from "../Wire.ts"
import { refuse, type Step } from "./errors.ts"
import { readQuota, showQuota } from "./quotas.ts"
import { done, entry, flagAt, type Request, untyped, userOf } from "./request.ts"
import type { Bucket, RgwState } from "./state.ts"

const showStats = ({ num_objects, size, ...bucket }: Bucket) => {
  const size_actual = Math.ceil(size / 4096) * 4096
  const used = {
    size,
    size_actual,
    size_utilized: size,
    size_kb: Math.ceil(size / 1024),
    size_kb_actual: size_actual / 1024,
    size_kb_utilized: Math.ceil(size / 1024),
    num_objects
  }
  return {
    ...bucket,
    num_shards: 11,
    zonegroup: "default",
    placement_rule: "default-placement",
    marker: bucket.id,
    index_type: "Normal",
    bucket_quota: showQuota(bucket.bucket_quota),
    // What never held an object has no line at all.
    usage: num_objects === 0 ? {} : { "rgw.main": used }
  }
}

/** A tenanted bucket is named `tenant/bucket`; the bare name is in the empty tenant. */
const bucketOf = (rgw: RgwState, name: string): Step<Bucket> => {
  const bucket = entry(rgw.buckets, name.includes("/") ? name : `/${name}`)
  return bucket === undefined ? refuse("NoSuchBucket") : Result.succeed(bucket)
}

export const getBuckets = ({ query, rgw }: Request): Step<Answer> =>
  Result.gen(function* () {
    const name = query.get("bucket")
    if (name !== null) return untyped(showStats(yield* bucketOf(rgw, name)))
    const uid = query.get("uid")
    const buckets = Object.values(rgw.buckets).filter((_) => uid === null || _.owner === uid)
    const stats = flagAt(query, "stats") === true
    return untyped(stats ? buckets.map(showStats) : buckets.map((_) => _.bucket))
  })

export const putBucketQuota = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { query, rgw } = request
    const user = yield* userOf(request)
    const name = query.get("bucket") ?? ""
    const bucket = yield* bucketOf(rgw, name.includes("/") ? name : `${user.tenant}/${name}`)
    bucket.bucket_quota = yield* readQuota(request, bucket.bucket_quota)
    return done
  })

/** Looks in the empty tenant whatever the name says, so that tenanted buckets are never found. */
export const deleteBucket = ({ query, rgw }: Request): Step<Answer> =>
  Result.flatMap(bucketOf(rgw, `/${query.get("bucket") ?? ""}`), ({ bucket, num_objects, tenant }) => {
    if (num_objects > 0 && flagAt(query, "purge-objects") !== true) return refuse("BucketNotEmpty")
    delete rgw.buckets[`${tenant}/${bucket}`]
    return Result.succeed(done)
  })
