import { Result } from "effect"
import type { Answer, Incoming, Step } from "../../Wire.ts"
import type { ObjectVersion } from "../state.ts"
import { cannedAcl } from "./acl.ts"
import { bare, bytes, refuseS3, stored } from "./answers.ts"
import { conditionOf, mayReplace } from "./conditions.ts"
import { within } from "./quota.ts"
import { rangeOf } from "./range.ts"
import { bucketFor, found } from "./access.ts"
import type { S3Request } from "./request.ts"
import { deposit, latest, md5, nextVersionId, remove } from "./store.ts"

const kept: ReadonlySet<string> = new Set([
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires"
])

/** The headers of an upload that reads repeat. */
export const describedBy = ({ headers }: Incoming): Readonly<Record<string, string>> => ({
  "content-type": "binary/octet-stream",
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => kept.has(name) || name.startsWith("x-amz-meta-")))
})

/** The complete body of an upload: it must have a length and match its digest. */
export const uploadOf = ({ bucket, incoming }: S3Request): Step<Uint8Array> => {
  const { body, headers } = incoming
  const digest = headers["content-md5"]
  if (headers["transfer-encoding"]?.includes("chunked") === true && headers["content-length"] === undefined) {
    return refuseS3("MissingContentLength", bucket)
  }
  if (digest === undefined) return Result.succeed(body)
  const expected = Buffer.from(digest, "base64")
  if (expected.length !== 16) return refuseS3("InvalidDigest", bucket)
  return expected.toString("hex") === md5(body) ? Result.succeed(body) : refuseS3("BadDigest", bucket)
}

/** Only a version with an id is shown. */
export const versionHeader = (version_id: string): Readonly<Record<string, string>> =>
  version_id === "null" ? {} : { "x-amz-version-id": version_id }

export const putObject = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, key, rgw } = request
    const { bucket, user } = yield* bucketFor(request, "WRITE")
    const writer = request.user?.uid ?? "anonymous"
    const acl = yield* cannedAcl(request, writer, bucket.owner)
    if (incoming.headers["x-amz-copy-source"] !== undefined) return yield* refuseS3("NotImplemented", bucket.bucket)
    const body = yield* uploadOf(request)
    yield* within(rgw, user, bucket, body.length)
    const there = bucket.versioning === "enabled" ? undefined : latest(bucket, key)
    if (!mayReplace(incoming, there)) return yield* refuseS3("PreconditionFailed", bucket.bucket)
    const version: ObjectVersion = {
      key,
      version_id: nextVersionId(bucket),
      ...(writer === bucket.owner ? {} : { owner: writer }),
      ...(acl === undefined ? {} : { acl }),
      is_marker: false,
      written: incoming.now,
      etag: md5(body),
      size: body.length,
      body: Buffer.from(body).toString("base64"),
      headers: describedBy(incoming)
    }
    deposit(bucket, version)
    return stored({ etag: `"${version.etag}"`, ...versionHeader(version.version_id) })
  })

const overrides: Readonly<Record<string, string>> = {
  "response-cache-control": "cache-control",
  "response-content-disposition": "content-disposition",
  "response-content-encoding": "content-encoding",
  "response-content-language": "content-language",
  "response-content-type": "content-type",
  "response-expires": "expires"
}

/** The query's overrides of response headers. */
const overriddenBy = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(overrides).flatMap(([parameter, header]) => {
      const value = query.get(parameter)
      return value === null ? [] : [[header, value]]
    })
  )

export const getObject = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, query } = request
    const { bucket } = yield* bucketFor(request)
    const asked = query.get("versionId")
    const version = yield* found(request, bucket, "READ")
    const condition = conditionOf(incoming, version)
    if (condition === "failed") return yield* refuseS3("PreconditionFailed", bucket.bucket)
    if (condition === "not modified") return bare(304)
    const whole = Buffer.from(version.body, "base64")
    const header = incoming.headers["range"]
    const range = rangeOf(header, whole.length)
    if (range === "impossible") return yield* refuseS3("InvalidRange", bucket.bucket)
    const { from, to } = range ?? { from: 0, to: whole.length - 1 }
    return bytes(
      range === undefined ? 200 : 206,
      {
        // A range in an unknown unit gets the whole object, with a 200 and a Content-Range.
        ...(header === undefined ? {} : { "content-range": `bytes ${from}-${to}/${whole.length}` }),
        "last-modified": new Date(version.written).toUTCString(),
        ...(asked === null ? versionHeader(version.version_id) : { "x-amz-version-id": version.version_id }),
        "x-rgw-object-type": "Normal",
        etag: `"${version.etag}"`,
        ...version.headers,
        ...overriddenBy(query)
      },
      whole.subarray(from, to + 1)
    )
  })

export const deleteObject = (request: S3Request): Step<Answer> =>
  Result.map(bucketFor(request, "WRITE"), ({ bucket }) => {
    const { incoming, key, query } = request
    const removed = remove(bucket, key, query.get("versionId"), incoming.now)
    return bare(204, {
      ...(removed.version_id === null ? {} : { "x-amz-version-id": removed.version_id }),
      ...(removed.is_marker ? { "x-amz-delete-marker": "true" } : {})
    })
  })
