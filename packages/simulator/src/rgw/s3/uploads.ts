import { randomBytes } from "node:crypto"
import { Result } from "effect"
import type { Answer, Step } from "../../Wire.ts"
import { byBytes } from "../percent.ts"
import type { Bucket, Part, RgwUser, Upload } from "../state.ts"
import { bare, document, refuseS3, stored } from "./answers.ts"
import { ownerOf } from "./buckets.ts"
import { sizeAt } from "./lists.ts"
import { describedBy, uploadOf, versionHeader } from "./objects.ts"
import { within } from "./quota.ts"
import { bucketFor } from "./access.ts"
import { bodyText, type S3Request } from "./request.ts"
import { deposit, hold, inBlocks, md5, nextVersionId, release } from "./store.ts"
import { childrenOf, parsed, textIn, type Xml } from "./xml.ts"

const smallestPart = 5 * 1024 * 1024

const tenantOf = ({ tenant }: S3Request): ReadonlyArray<Xml> => (tenant === "" ? [] : [["Tenant", tenant]])

const find = ({ uploads }: Bucket, { key, query }: S3Request): Upload | undefined =>
  uploads.find((_) => _.id === query.get("uploadId") && _.key === key)

const weightOf = ({ size }: Part) => ({ size, size_actual: inBlocks(size), num_objects: 1 })

const without = (bucket: Bucket, upload: Upload): void => {
  bucket.uploads = bucket.uploads.filter((_) => _ !== upload)
  for (const part of upload.parts) release(bucket, weightOf(part))
}

export const createUpload = (request: S3Request): Step<Answer> =>
  Result.map(bucketFor(request, "WRITE"), ({ bucket }) => {
    const { incoming, key } = request
    const id = `2~${randomBytes(23).toString("base64url")}`
    const upload: Upload = { id, key, initiated: incoming.now, headers: describedBy(incoming), parts: [] }
    bucket.uploads = [...bucket.uploads, upload].toSorted((a, b) => byBytes(a.key, b.key) || a.initiated - b.initiated)
    if (!bucket.held.includes("rgw.multimeta")) bucket.held = [...bucket.held, "rgw.multimeta"]
    return document([
      "InitiateMultipartUploadResult",
      [...tenantOf(request), ["Bucket", bucket.bucket], ["Key", key], ["UploadId", id]]
    ])
  })

/** A repeated part replaces the earlier one. Every part number is accepted. */
export const putPart = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, query, rgw } = request
    const { bucket, user } = yield* bucketFor(request, "WRITE")
    const body = yield* uploadOf(request)
    yield* within(rgw, user, bucket, body.length)
    const upload = find(bucket, request)
    if (upload === undefined) return yield* refuseS3("NoSuchUpload", bucket.bucket)
    const part: Part = {
      number: Number(/^\d+/.exec(query.get("partNumber") ?? "")?.[0] ?? 0),
      etag: md5(body),
      size: body.length,
      written: incoming.now,
      body: Buffer.from(body).toString("base64")
    }
    for (const old of upload.parts) if (old.number === part.number) release(bucket, weightOf(old))
    upload.parts = [...upload.parts.filter((_) => _.number !== part.number), part].toSorted(
      (a, b) => a.number - b.number
    )
    hold(bucket, weightOf(part))
    return stored({ etag: `"${part.etag}"` })
  })

/** The client's list of parts: complete, in order, with matching tags. */
const listedParts = (request: S3Request, { parts }: Upload): Step<void> => {
  const { bucket } = request
  const list = parsed(bodyText(request))
  const listed = Result.isSuccess(list) ? childrenOf(list.success, "Part") : []
  if (listed.length === 0) return refuseS3("MalformedXML", bucket)
  const same = listed.every((_, i) => {
    const { etag, number } = parts[i] ?? {}
    return Number(textIn(_, "PartNumber")) === number && textIn(_, "ETag")?.replaceAll('"', "") === etag
  })
  if (listed.length !== parts.length || !same) return refuseS3("InvalidPart", bucket)
  return parts.slice(0, -1).some((_) => _.size < smallestPart) ? refuseS3("EntityTooSmall", bucket) : Result.void
}

/** The answer has an empty tag; the object's tag has the number of parts. */
export const completeUpload = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, key, tenant } = request
    const { bucket } = yield* bucketFor(request, "WRITE")
    const upload = find(bucket, request)
    if (upload === undefined) {
      return yield* refuseS3("InternalError", bucket.bucket, "This multipart completion is already in progress")
    }
    yield* listedParts(request, upload)
    without(bucket, upload)
    const bodies = upload.parts.map((_) => Buffer.from(_.body, "base64"))
    const digests = Buffer.concat(upload.parts.map((_) => Buffer.from(_.etag, "hex")))
    const version_id = nextVersionId(bucket)
    deposit(bucket, {
      key,
      version_id,
      ...(request.user === undefined || request.user.uid === bucket.owner ? {} : { owner: request.user.uid }),
      is_marker: false,
      written: incoming.now,
      etag: `${md5(digests)}-${upload.parts.length}`,
      size: upload.parts.reduce((sum, _) => sum + _.size, 0),
      body: Buffer.concat(bodies).toString("base64"),
      headers: upload.headers
    })
    const place = `${tenant === "" ? "" : `${tenant}:`}${bucket.bucket}/${key}`
    const { headers, ...answer } = document([
      "CompleteMultipartUploadResult",
      [
        ["Location", `http://${incoming.headers["host"] ?? ""}/${place}`],
        ...tenantOf(request),
        ["Bucket", bucket.bucket],
        ["Key", key],
        ["ETag", ""]
      ]
    ])
    return { ...answer, headers: { ...headers, ...versionHeader(version_id) } }
  })

export const abortUpload = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { bucket } = yield* bucketFor(request, "WRITE")
    const upload = find(bucket, request)
    if (upload === undefined) return yield* refuseS3("NoSuchUpload", bucket.bucket)
    without(bucket, upload)
    return bare(204)
  })

/** A missing upload is a NoSuchKey. */
export const listParts = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { key, query } = request
    const { bucket } = yield* bucketFor(request, "WRITE")
    const most = yield* sizeAt(request, "max-parts")
    const upload = find(bucket, request)
    if (upload === undefined) return yield* refuseS3("NoSuchKey", bucket.bucket)
    const marker = Number(query.get("part-number-marker") ?? 0)
    const rest = upload.parts.filter((_) => _.number > marker)
    const shown = rest.slice(0, most)
    return document([
      "ListPartsResult",
      [
        ...tenantOf(request),
        ["Bucket", bucket.bucket],
        ["Key", key],
        ["UploadId", upload.id],
        ["StorageClass", "STANDARD"],
        ["PartNumberMarker", marker],
        ["NextPartNumberMarker", shown.at(-1)?.number ?? 0],
        ["MaxParts", most],
        ["IsTruncated", shown.length < rest.length],
        [
          "Owner",
          [
            ["ID", ""],
            ["DisplayName", ""]
          ]
        ],
        ...shown.map((_): Xml => ["Part", partOf(_)])
      ]
    ])
  })

const partOf = ({ etag, number, size, written }: Part): ReadonlyArray<Xml> => [
  ["LastModified", new Date(written).toISOString()],
  ["PartNumber", number],
  ["ETag", `"${etag}"`],
  ["Size", size]
]

export const listUploads = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { query } = request
    const { bucket, user } = yield* bucketFor(request, "READ")
    const most = yield* sizeAt(request, "max-uploads")
    const prefix = query.get("prefix") ?? ""
    const marker = query.get("key-marker") ?? ""
    const rest = bucket.uploads.filter((_) => _.key.startsWith(prefix) && (marker === "" || byBytes(_.key, marker) > 0))
    const shown = rest.slice(0, most)
    const last = shown.at(-1)
    return document([
      "ListMultipartUploadsResult",
      [
        ...tenantOf(request),
        ["Bucket", bucket.bucket],
        ...(prefix === "" ? [] : [["Prefix", prefix] as const]),
        ...(marker === "" ? [] : [["KeyMarker", marker] as const]),
        ...(last === undefined ? [] : [["NextKeyMarker", last.key] as const, ["NextUploadIdMarker", last.id] as const]),
        ["MaxUploads", most],
        ...(query.has("delimiter") ? [["Delimiter", query.get("delimiter") ?? ""] as const] : []),
        ["IsTruncated", shown.length < rest.length],
        ...shown.map((_) => uploadOfList(_, user))
      ]
    ])
  })

const uploadOfList = ({ id, initiated, key }: Upload, user: RgwUser): Xml => [
  "Upload",
  [
    ["Key", key],
    ["UploadId", id],
    ["Initiator", ownerOf(user)[1]],
    ownerOf(user),
    ["StorageClass", "STANDARD"],
    ["Initiated", new Date(initiated).toISOString()]
  ]
]
