import { randomUUID } from "node:crypto"
import { Result } from "effect"
import { entry } from "../../Json.ts"
import type { Answer, Step } from "../../Wire.ts"
import { toMicrosUtc } from "../../times.ts"
import { byBytes } from "../percent.ts"
import { newBucket, type RgwUser } from "../state.ts"
import { bucketsOf } from "../users.ts"
import { cannedAcl } from "./acl.ts"
import { bare, document, refuseS3 } from "./answers.ts"
import { bucketFor, ownBucket } from "./access.ts"
import { bodyText, type S3Request } from "./request.ts"
import { removeBucket } from "./store.ts"
import { parsed, textIn, type Xml } from "./xml.ts"

export const ownerOf = (user: RgwUser | undefined): Xml => [
  "Owner",
  [
    ["ID", user?.uid ?? "anonymous"],
    ["DisplayName", user?.display_name ?? ""]
  ]
]

/** Milliseconds; the admin API has microseconds. */
const shortened = (time: string): string => time.replace(/(\.\d{3})\d+Z$/, "$1Z")

/** An anonymous caller gets an empty list. */
export const listBuckets = ({ rgw, user }: S3Request): Step<Answer> => {
  const buckets = user === undefined ? [] : bucketsOf(rgw, user).toSorted((a, b) => byBytes(a.bucket, b.bucket))
  const shown = buckets.map((_): Xml => [
    "Bucket",
    [
      ["Name", _.bucket],
      ["CreationDate", shortened(_.creation_time)]
    ]
  ])
  return Result.succeed(document(["ListAllMyBucketsResult", [ownerOf(user), ["Buckets", shown]]]))
}

/** A valid host name, whole and between the dots, that is not an IP address. */
const isName = (name: string): boolean =>
  name.length >= 3 &&
  name.length <= 63 &&
  name.split(".").every((_) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(_)) &&
  !/^\d+\.\d+\.\d+\.\d+$/.test(name)

/** The zonegroup's name, with or without a placement. */
const isLocation = (constraint: string): boolean =>
  ["", "default", "default:default-placement", ":default-placement"].includes(constraint)

/** Empty when the request has no location. */
const constraintOf = (request: S3Request): Step<string> => {
  const text = bodyText(request)
  if (text === "") return Result.succeed("")
  const root = parsed(text)
  return Result.isFailure(root) || root.success.name !== "CreateBucketConfiguration"
    ? refuseS3("InvalidArgument", request.bucket)
    : Result.succeed(textIn(root.success, "LocationConstraint") ?? "")
}

/** 0 is unlimited; a negative limit forbids buckets, with an AccessDenied. */
const mayHaveMore = ({ bucket, rgw }: S3Request, user: RgwUser): Step<void> => {
  if (user.max_buckets < 0) return refuseS3("AccessDenied", bucket)
  return user.max_buckets > 0 && bucketsOf(rgw, user).length >= user.max_buckets
    ? refuseS3("TooManyBuckets", bucket)
    : Result.void
}

/** The limit is checked first: at the limit the answer is the same for a new, an own and another user's bucket. */
export const createBucket = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { bucket, incoming, rgw, tenant, user } = request
    if (user === undefined || tenant !== user.tenant) return yield* refuseS3("AccessDenied", bucket)
    yield* mayHaveMore(request, user)
    if (!isName(bucket)) return yield* refuseS3("InvalidBucketName", bucket)
    if (!isLocation(yield* constraintOf(request))) return yield* refuseS3("InvalidLocationConstraint", bucket)
    const there = entry(rgw.buckets, `${tenant}/${bucket}`)
    if (there !== undefined && there.owner !== user.uid) return yield* refuseS3("BucketAlreadyExists", bucket)
    if (there === undefined) {
      const id = `${randomUUID()}.4105.1`
      const acl = yield* cannedAcl(request, user.uid, user.uid)
      const made = newBucket({ bucket, tenant, owner: user.uid, id, now: incoming.now })
      rgw.buckets[`${tenant}/${bucket}`] = acl === undefined ? made : { ...made, acl }
    }
    return bare(200)
  })

export const headBucket = (request: S3Request): Step<Answer> =>
  Result.map(bucketFor(request, "READ"), ({ bucket, user }) =>
    bare(200, {
      "x-rgw-object-count": String(bucket.num_objects),
      "x-rgw-bytes-used": String(bucket.size),
      "x-rgw-quota-user-size": String(user.user_quota.max_size),
      "x-rgw-quota-user-objects": String(user.user_quota.max_objects),
      "x-rgw-quota-max-buckets": String(user.max_buckets),
      "x-rgw-quota-bucket-size": String(bucket.bucket_quota.max_size),
      "x-rgw-quota-bucket-objects": String(bucket.bucket_quota.max_objects)
    })
  )

/** Versions and delete markers prevent the removal of a bucket; unfinished uploads are removed with it. */
export const deleteBucket = (request: S3Request): Step<Answer> =>
  Result.flatMap(bucketFor(request, "WRITE"), ({ bucket }) => {
    // Entries of the index alone count too.
    if (bucket.objects.length > 0 || (bucket.uploads.length === 0 && bucket.num_objects > 0)) {
      return refuseS3("BucketNotEmpty", bucket.bucket)
    }
    removeBucket(request.rgw, bucket)
    return Result.succeed(bare(204))
  })

export const getLocation = (request: S3Request): Step<Answer> =>
  Result.map(ownBucket(request), () => {
    const { headers, ...answer } = document(["LocationConstraint", "default"])
    const { "content-type": _, ...untyped } = headers
    return { ...answer, headers: untyped }
  })

const stated = { enabled: "Enabled", suspended: "Suspended" } as const

/** A bucket that never had versions has no status. */
export const getVersioning = (request: S3Request): Step<Answer> =>
  Result.map(ownBucket(request), ({ bucket: { versioning } }) =>
    document([
      "VersioningConfiguration",
      versioning === "off"
        ? []
        : [
            ["Status", stated[versioning]],
            ["MfaDelete", "Disabled"]
          ]
    ])
  )

/** Enabled or suspended; a bucket cannot return to the unversioned state. */
export const putVersioning = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { bucket } = yield* ownBucket(request)
    const root = parsed(bodyText(request))
    const status = Result.isSuccess(root) ? textIn(root.success, "Status") : undefined
    if (status !== "Enabled" && status !== "Suspended") return yield* refuseS3("InvalidArgument", bucket.bucket)
    bucket.versioning = status === "Enabled" ? "enabled" : "suspended"
    bucket.mtime = toMicrosUtc(request.incoming.now)
    return bare(200, { "content-type": "application/xml" })
  })
