import { Result } from "effect"
import { entry } from "../Json.ts"
import type { Answer, Step } from "../Wire.ts"
import { refuse } from "./errors.ts"
import { readQuota, showQuota } from "./quotas.ts"
import { done, flagAt, type Request, untyped, userOf } from "./request.ts"
import type { Bucket, RgwState, Usage } from "./state.ts"

const kilobytes = (bytes: number) => Math.ceil(bytes / 1024)

const usageOf = ({ num_objects, size, size_actual }: Usage) => ({
  size,
  size_actual,
  size_utilized: size,
  size_kb: kilobytes(size),
  size_kb_actual: kilobytes(size_actual),
  size_kb_utilized: kilobytes(size),
  num_objects
})

/** The metadata objects of unfinished uploads: one entry each, without a size. */
const uploadsOf = ({ uploads }: Bucket) => ({
  ...usageOf({ size: 0, size_actual: 0, num_objects: uploads.length }),
  size_utilized: 27 * uploads.length,
  size_kb_utilized: kilobytes(27 * uploads.length)
})

const showStats = (bucket: Bucket) => {
  const { creation_time, held, id, mtime, owner, tenant, versioning } = bucket
  return {
    bucket: bucket.bucket,
    tenant,
    owner,
    id,
    creation_time,
    mtime,
    versioning,
    num_shards: 11,
    zonegroup: "default",
    placement_rule: "default-placement",
    marker: id,
    index_type: "Normal",
    bucket_quota: showQuota(bucket.bucket_quota),
    // A category has no line before its first object, and always one after it.
    usage: {
      ...(held.includes("rgw.main") ? { "rgw.main": usageOf(bucket) } : {}),
      ...(held.includes("rgw.multimeta") ? { "rgw.multimeta": uploadsOf(bucket) } : {})
    }
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

/** Looks only in the empty tenant, as upstream does, so that tenanted buckets are never found. */
export const deleteBucket = ({ query, rgw }: Request): Step<Answer> =>
  Result.flatMap(bucketOf(rgw, `/${query.get("bucket") ?? ""}`), ({ bucket, num_objects, tenant }) => {
    if (num_objects > 0 && flagAt(query, "purge-objects") !== true) return refuse("BucketNotEmpty")
    delete rgw.buckets[`${tenant}/${bucket}`]
    return Result.succeed(done)
  })
