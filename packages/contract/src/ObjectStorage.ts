import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, Authenticated, TenantScoped, Validated, WellFormed, WhileClosing } from "./Access.ts"
import { BucketName } from "./BucketName.ts"
import { afterOf } from "./continuation.ts"
import { failures } from "./Failures.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { pageLimits } from "./Page.ts"
import { presignLimits } from "./presignLimits.ts"

export const BucketRow = Schema.Struct({
  name: Schema.String,
  /** Includes versions, and excludes unfinished uploads. */
  objects: Schema.Int,
  size_bytes: Schema.Int,
  /** The last change of the bucket itself, ISO 8601 in UTC: writing objects does not count. */
  modified: Schema.String,
  /** `databases`: the archive of the tenant's managed databases, which counts as any other; null for its own buckets. */
  managed_by: Schema.NullOr(Schema.Literal("databases"))
}).annotate({ identifier: "Bucket" })
export type BucketRow = typeof BucketRow.Type

/** `endpoint`: where S3 clients reach the buckets, path style. */
export const BucketList = Schema.Struct({
  buckets: Schema.Array(BucketRow),
  count: Schema.Int,
  endpoint: Schema.String
}).annotate({ identifier: "BucketList" })
export type BucketList = typeof BucketList.Type

export const BucketCreate = Schema.Struct({ name: BucketName }).annotate({ identifier: "BucketCreate" })

export const BucketDeleted = Schema.Struct({ name: Schema.String, deleted: Schema.Literal(true) }).annotate({
  identifier: "BucketDeleted"
})
export type BucketDeleted = typeof BucketDeleted.Type

export const StoredObject = Schema.Struct({
  /** The key as the client wrote it: any Unicode, up to 1,024 bytes of UTF-8. */
  key: Schema.String,
  size_bytes: Schema.Int,
  modified: Schema.String,
  etag: Schema.String,
  storage_class: Schema.NullOr(Schema.String)
}).annotate({ identifier: "StoredObject" })
export type StoredObject = typeof StoredObject.Type

/** In byte order of the keys. */
export const ObjectPage = Schema.Struct({
  bucket: Schema.String,
  prefix: Schema.String,
  objects: Schema.Array(StoredObject),
  /** Null on the last page. */
  next_continuation_token: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ObjectPage" })
export type ObjectPage = typeof ObjectPage.Type

/** Anyone with the URL can read the object until it expires. */
export const Presigned = Schema.Struct({
  url: Schema.String,
  method: Schema.Literal("GET"),
  /** The lifetime that was granted, in seconds. */
  expires_in: Schema.Int,
  /** ISO 8601 in UTC. */
  expires_at: Schema.String
}).annotate({ identifier: "PresignedUrl" })
export type Presigned = typeof Presigned.Type

/** `unset`: versioning was never enabled. A bucket cannot return to this state. */
export const Versioning = Schema.Struct({
  bucket: Schema.String,
  versioning: Schema.Literals(["enabled", "suspended", "unset"])
}).annotate({ identifier: "BucketVersioning" })
export type Versioning = typeof Versioning.Type

export const VersioningUpdate = Schema.Struct({ versioning: Schema.Literals(["enabled", "suspended"]) }).annotate({
  identifier: "VersioningUpdate"
})
export type VersioningUpdate = typeof VersioningUpdate.Type

export const S3Credentials = Schema.Struct({
  /** `tenant$<project_id>-` and the creation time. */
  access_key: Schema.String,
  secret_key: Schema.String,
  uid: Schema.String,
  endpoint: Schema.String
}).annotate({ identifier: "S3Credentials" })
export type S3Credentials = typeof S3Credentials.Type

/** A key pair that was just made; GET /v1/object-storage/credentials shows it from now on. */
export const RotatedS3Credentials = Schema.Struct({ ...S3Credentials.fields, secret_key: OneTime }).annotate({
  identifier: "RotatedS3Credentials"
})
export type RotatedS3Credentials = typeof RotatedS3Credentials.Type

export const S3KeyRow = Schema.Struct({
  access_key: Schema.String,
  /** Null for a key that was not made here. */
  created_at: Schema.NullOr(Schema.String),
  /** Whether GET /v1/object-storage/credentials returns this key. */
  current: Schema.Boolean
}).annotate({ identifier: "S3Key" })
export type S3KeyRow = typeof S3KeyRow.Type

export const S3KeyList = Schema.Struct({ count: Schema.Int, keys: Schema.Array(S3KeyRow) }).annotate({
  identifier: "S3KeyList"
})
export type S3KeyList = typeof S3KeyList.Type

export const S3KeyDeleted = Schema.Struct({ access_key: Schema.String, deleted: Schema.Literal(true) }).annotate({
  identifier: "S3KeyDeleted"
})
export type S3KeyDeleted = typeof S3KeyDeleted.Type

const longestPrefix = 1024

const objectQuery = {
  prefix: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((prefix: string) => !prefix.includes("\0") && Buffer.byteLength(prefix) <= longestPrefix, {
        expected: `the beginning of a key: at most ${longestPrefix} bytes of UTF-8`
      })
    )
  ),
  continuation_token: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((token: string) => afterOf(token) !== undefined, {
        expected: "the next_continuation_token of an earlier page"
      })
    )
  ),
  limit: Schema.optionalKey(
    Schema.NumberFromString.check(
      Schema.isInt({ expected: "a whole number" }),
      Schema.isBetween({ minimum: pageLimits.least, maximum: pageLimits.most })
    )
  )
}

const presignQuery = {
  expires_in: Schema.optionalKey(
    Schema.NumberFromString.check(
      Schema.isInt({ expected: "a whole number" }),
      Schema.isBetween({ minimum: presignLimits.least, maximum: presignLimits.most })
    )
  )
}

const secret = <S extends Schema.Top>(body: S) =>
  HttpApiSchema.WithHeaders(body, { "cache-control": Schema.Literal("no-store") })

const name = { name: Schema.String }

/** Both planes. Object bytes never pass through here: S3 clients fetch them at the `endpoint`. */
export class ObjectStorage extends HttpApiGroup.make("object-storage")
  .add(
    HttpApiEndpoint.get("listBuckets", "/object-storage/buckets", {
      success: BucketList,
      error: failures("upstream_failed")
    }),
    HttpApiEndpoint.post("createBucket", "/object-storage/buckets", {
      payload: BucketCreate,
      success: BucketList.pipe(HttpApiSchema.status(201)),
      error: failures(
        "bucket_name_taken",
        "ceiling_reached",
        "concurrent_change",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }).middleware(Creates),
    HttpApiEndpoint.delete("removeBucket", "/object-storage/buckets/:name", {
      params: name,
      success: BucketDeleted,
      error: failures(
        "bucket_not_empty",
        "bucket_not_found",
        "ceiling_reached",
        "concurrent_change",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.get("listObjects", "/object-storage/buckets/:name/objects", {
      params: name,
      query: objectQuery,
      success: ObjectPage,
      error: failures(
        "bucket_not_found",
        "ceiling_reached",
        "concurrent_change",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.get("presign", "/object-storage/buckets/:name/objects/:key/presigned", {
      params: { ...name, key: Schema.String },
      query: presignQuery,
      success: secret(Presigned),
      error: failures(
        "bucket_not_found",
        "ceiling_reached",
        "concurrent_change",
        "object_not_found",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }).annotate(AnswersSecret, "grant"),
    HttpApiEndpoint.get("versioning", "/object-storage/buckets/:name/versioning", {
      params: name,
      success: Versioning,
      error: failures(
        "bucket_not_found",
        "ceiling_reached",
        "concurrent_change",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.put("setVersioning", "/object-storage/buckets/:name/versioning", {
      params: name,
      payload: VersioningUpdate,
      success: Versioning,
      error: failures(
        "bucket_not_found",
        "ceiling_reached",
        "concurrent_change",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.get("credentials", "/object-storage/credentials", {
      success: secret(S3Credentials),
      error: failures(
        "ceiling_reached",
        "concurrent_change",
        "concurrent_deletion_state",
        "tenant_not_found",
        "tenant_suspended",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_failed"
      )
    }).annotate(AnswersSecret, "stored"),
    HttpApiEndpoint.post("rotate", "/object-storage/credentials/rotate", {
      success: secret(RotatedS3Credentials),
      error: failures(
        "ceiling_reached",
        "concurrent_change",
        "tenant_not_found",
        "tier_move_in_progress",
        "tier_unreadable",
        "upstream_failed"
      )
    })
      // A new key of a user with access to all existing buckets.
      .annotate(AnswersSecret, "stored")
      .middleware(Creates),
    HttpApiEndpoint.get("listKeys", "/object-storage/keys", { success: S3KeyList, error: failures("upstream_failed") }),
    HttpApiEndpoint.delete("removeKey", "/object-storage/keys/:access_key", {
      params: { access_key: Schema.String },
      success: S3KeyDeleted,
      error: failures("access_key_not_found", "concurrent_change", "upstream_failed")
    })
      // A leaked key must be revocable, whatever the state of the project is.
      .annotate(WhileClosing, true)
  )
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
