import { DateTime, Effect, Option, Schema } from "effect"
import type { Admin } from "./admin.ts"

const Size = Schema.Struct({
  num_objects: Schema.optionalKey(Schema.Int),
  /** Bytes; some releases return only kilobytes, rounded up. */
  size: Schema.optionalKey(Schema.Int),
  size_kb: Schema.optionalKey(Schema.Int)
})

/** With a `T` or, in some releases, a space between date and time. */
const momentOf = (mtime: string) => DateTime.make(`${mtime.replace(" ", "T").replace(/Z?$/, "")}Z`)

const Stats = Schema.Struct({
  bucket: Schema.String,
  owner: Schema.String,
  id: Schema.String,
  mtime: Schema.String.check(Schema.makeFilter((_: string) => Option.isSome(momentOf(_)))),
  /** By storage category; empty for a bucket without objects. */
  usage: Schema.Record(Schema.String, Size)
})

/** A bucket with its statistics. */
export interface BucketStats {
  readonly name: string
  /** Includes versions, but not unfinished uploads. */
  readonly objects: number
  /** Bytes of these objects and of the parts of unfinished uploads. */
  readonly sizeBytes: number
  /** The last change of the bucket itself, not of its objects. */
  readonly modified: DateTime.Utc
}

/** The storage category of multipart uploads' metadata. */
const uploads = "rgw.multimeta"

const statsOf = ({ bucket, mtime, usage }: typeof Stats.Type): BucketStats => ({
  name: bucket,
  objects: Object.entries(usage).reduce((sum, [name, _]) => sum + (name === uploads ? 0 : (_.num_objects ?? 0)), 0),
  sizeBytes: Object.values(usage).reduce((sum, _) => sum + (_.size ?? (_.size_kb ?? 0) * 1024), 0),
  modified: DateTime.toUtc(Option.getOrThrow(momentOf(mtime)))
})

/** The admin operations on buckets. */
export const bucketsOf = ({ getBucket, system, tenantOf, uid }: Admin) => ({
  listBuckets: Effect.fn("Rgw.listBuckets")(function* (projectId: string) {
    const request = getBucket({ uid: uid(projectId), stats: "true" })
    // Some releases answer 404 for a user without buckets.
    const found = (yield* system.find("list buckets", request, Schema.Array(Stats))) ?? []
    return found.filter((_) => _.owner === uid(projectId)).map(statsOf)
  }),
  findBucket: Effect.fn("Rgw.findBucket")(function* (projectId: string, name: string) {
    const request = getBucket({ bucket: `${tenantOf(projectId)}/${name}`, stats: "true" })
    const found = yield* system.find("find bucket", request, Stats)
    return found?.owner === uid(projectId) ? statsOf(found) : undefined
  })
})
