import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, DestroysWith, WhileClosing } from "./Access.ts"
import { BucketCors, BucketCorsDeleted, BucketCorsUpdate } from "./BucketCors.ts"
import { BucketName } from "./BucketName.ts"
import { afterOf } from "./continuation.ts"
import { described, meanings, titled } from "./describe.ts"
import { ceilingCodes, failures, upstreamCodes } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { ObjectDeleted, ObjectVersionPage, VersionId, versionToken } from "./ObjectVersions.ts"
import { pageLimits, wholeList } from "./Page.ts"
import { longestUpload, presignLimits, uploadLimits } from "./presignLimits.ts"
import { Unstored } from "./Unstored.ts"

const objectGateway =
  "Where S3 clients reach the object gateway: an absolute URL. Clients address buckets in the path (path style), not " +
  "in the host name."

const bucketName = "The bucket's name, as a rule unique over all tenants. It never changes."

export const BucketRow = Schema.Struct({
  name: Schema.String.annotateKey({ description: bucketName }),
  objects: Schema.Int.annotateKey({
    description: "The number of objects. Every stored version of an object counts; unfinished uploads do not."
  }),
  size_bytes: Schema.Int.annotateKey({
    description: "The size of these objects together, old versions included, in bytes."
  }),
  modified: Schema.String.annotateKey({
    description:
      "When the bucket itself last changed: its creation, its versioning, its policy. Writing objects does not " +
      "count. RFC 3339, UTC."
  }),
  managed_by: Schema.NullOr(
    Schema.Literal("databases").annotate({
      description:
        "`databases`: the archive with the backups of the tenant's managed databases. It counts against the " +
        "ceilings as any other bucket. Without it no database can be restored."
    })
  ).annotateKey({
    description: "The part of the platform that uses the bucket. Null for a bucket of the tenant's own."
  })
}).annotate({ identifier: "Bucket", description: "A bucket of the tenant, with its usage." })
export type BucketRow = typeof BucketRow.Type

export const BucketList = Schema.Struct({
  buckets: Schema.Array(BucketRow).annotateKey({ description: "All buckets of the tenant, sorted by name." }),
  count: Schema.Int.annotateKey({ description: "The number of buckets." }),
  endpoint: Schema.String.annotateKey({ description: objectGateway })
}).annotate({ identifier: "BucketList", description: "All buckets of the tenant, and where S3 clients reach them." })
export type BucketList = typeof BucketList.Type

export const BucketCreate = Schema.Struct({
  name: BucketName.annotateKey({
    description:
      "The name of the new bucket, which as a rule no other tenant may have: 3 to 63 characters a-z, 0-9, dots and " +
      "hyphens. Each part between dots begins and ends with a letter or a digit, and the name is not an IP address. " +
      "Reserved are names that begin with `xn--`, `sthree-`, `amzn-s3-demo-` or `db-archive-`, or end with " +
      "`-s3alias`, `--ol-s3`, `.mrap`, `--x-s3` or `--table-s3`."
  })
}).annotate({ identifier: "BucketCreate", description: "A new bucket." })

export const BucketDeleted = Schema.Struct({
  name: Schema.String.annotateKey({ description: "The name of the bucket that was deleted." }),
  deleted: Schema.Literal(true).annotateKey({ description: "Always true." })
}).annotate({ identifier: "BucketDeleted", description: "A bucket that was deleted." })
export type BucketDeleted = typeof BucketDeleted.Type

export const StoredObject = Schema.Struct({
  key: Schema.String.annotateKey({
    description: "The key as the client wrote it: any Unicode, at most 1024 bytes of UTF-8."
  }),
  size_bytes: Schema.Int.annotateKey({ description: "The size of the object's newest version, in bytes." }),
  modified: Schema.String.annotateKey({ description: "When the object was last written. RFC 3339, UTC." }),
  etag: Schema.String.annotateKey({
    description: "S3's ETag, which changes with the content. It is not always a checksum of the content."
  }),
  storage_class: Schema.NullOr(Schema.String).annotateKey({
    description: "S3's storage class, such as `STANDARD`. Null when the object gateway names none."
  })
}).annotate({ identifier: "StoredObject", description: "An object in a bucket, without its content." })
export type StoredObject = typeof StoredObject.Type

export const ObjectPage = Schema.Struct({
  bucket: Schema.String.annotateKey({ description: "The name of the bucket." }),
  prefix: Schema.String.annotateKey({ description: "The prefix of the request; empty when it named none." }),
  common_prefixes: Schema.Array(Schema.String).annotateKey({
    description:
      "With a `delimiter`: the beginnings of keys up to its first occurrence after the prefix, each once and in byte " +
      "order, as a file browser shows folders. Empty without it."
  }),
  objects: Schema.Array(StoredObject).annotateKey({ description: "The page, in the byte order of the keys." }),
  next_continuation_token: Schema.NullOr(Schema.String).annotateKey({
    description: "Send it as `continuation_token` to get the next page. Null on the last page."
  })
}).annotate({ identifier: "ObjectPage", description: "One page of the objects in a bucket." })
export type ObjectPage = typeof ObjectPage.Type

export const Presigned = Schema.Struct({
  url: Schema.String.annotateKey({
    description: "The URL. Anyone who has it can read the object until it expires, without a credential or a header."
  }),
  method: Schema.Literal("GET").annotateKey({ description: "The only method that the URL works for." }),
  expires_in: Schema.Int.annotateKey({ description: "The lifetime that was granted, in seconds." }),
  expires_at: Schema.String.annotateKey({ description: "When the URL stops working. RFC 3339, UTC." })
}).annotate({ identifier: "PresignedUrl", description: "A URL that reads one object for a short while." })
export type Presigned = typeof Presigned.Type

const versioningStates = {
  enabled: "Every write of a key stores a new version and keeps the old ones; a deletion only adds a delete marker.",
  suspended: "New writes replace each other. Versions from before the suspension stay."
}

/** A media type (RFC 9110, section 8.3.1), spelled so that no program on the way rewrites it. */
const mediaType = /^[a-z0-9!#$&^_.+-]{1,80}\/[a-z0-9!#$&^_.+-]{1,80}(; ?[a-z0-9_-]{1,40}=[a-z0-9_.+-]{1,80}){0,4}$/i

export const PresignUpload = Schema.Struct({
  content_length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestUpload })).annotateKey({
    description: "The size of the object in bytes. The address takes exactly this many."
  }),
  content_type: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(mediaType, { expected: "a media type such as image/png" }))
  ).annotateKey({ description: "The object's media type, which the upload must send. When missing, any is taken." }),
  overwrite: Schema.Boolean.annotateKey({
    description:
      "Whether the upload may replace an object that exists; false when absent. True needs tier 2, because the old " +
      "content is lost in a bucket without versions."
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  expires_in: Schema.Int.check(Schema.isBetween({ minimum: uploadLimits.least, maximum: uploadLimits.most }))
    .annotateKey({ description: "For how many seconds an upload can begin: 30 to 300; 120 when absent." })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(uploadLimits.usual)))
}).annotate({ identifier: "PresignUpload", description: "The upload to presign." })
export type PresignUpload = typeof PresignUpload.Type

/** Anyone with the URL can upload this object until it expires. */
export const PresignedUpload = Schema.Struct({
  url: Schema.String.annotateKey({ description: "The address for the upload, which works without a credential." }),
  method: Schema.Literal("PUT").annotateKey({ description: "The only method that the address takes." }),
  headers: Schema.Record(Schema.String, Schema.String).annotateKey({
    description: "Headers that the upload must send exactly so."
  }),
  content_length: Schema.Int.annotateKey({ description: "The size that the upload must have, in bytes." }),
  expires_in: Schema.Int.annotateKey({ description: "The granted lifetime in seconds." }),
  expires_at: Schema.String.annotateKey({ description: "When the address stops working, RFC 3339, UTC." })
}).annotate({ identifier: "PresignedUpload", description: "A presigned upload of one object." })
export type PresignedUpload = typeof PresignedUpload.Type

export const Versioning = Schema.Struct({
  bucket: Schema.String.annotateKey({ description: "The name of the bucket." }),
  versioning: meanings("Whether the bucket keeps old versions of its objects.", {
    ...versioningStates,
    unset: "Versioning was never enabled. A bucket cannot return to this state."
  })
}).annotate({ identifier: "BucketVersioning", description: "The versioning of a bucket." })
export type Versioning = typeof Versioning.Type

export const VersioningUpdate = Schema.Struct({
  versioning: meanings("The new state.", versioningStates)
}).annotate({ identifier: "VersioningUpdate", description: "A change of a bucket's versioning." })
export type VersioningUpdate = typeof VersioningUpdate.Type

const accessKey = "The public half of the pair, `AWS_ACCESS_KEY_ID` for most clients."

export const S3Credentials = Schema.Struct({
  access_key: Schema.String.annotateKey({
    description: `${accessKey} Its form is \`tenant$<project_id>-<creation time>-<random>\`.`
  }),
  secret_key: Schema.String.annotateKey({
    description: "The secret half of the pair, `AWS_SECRET_ACCESS_KEY` for most clients."
  }),
  uid: Schema.String.annotateKey({
    description: "The tenant's user at the object gateway, which owns the buckets: `tenant$<project_id>`."
  }),
  endpoint: Schema.String.annotateKey({ description: objectGateway })
}).annotate({ identifier: "S3Credentials", description: "The tenant's current S3 key pair." })
export type S3Credentials = typeof S3Credentials.Type

export const RotatedS3Credentials = Schema.Struct({
  ...S3Credentials.fields,
  secret_key: OneTime.annotateKey({
    description:
      "The secret half of the new pair, `AWS_SECRET_ACCESS_KEY` for most clients. " +
      "`GET /v1/object-storage/credentials` shows it from now on."
  })
}).annotate({
  identifier: "RotatedS3Credentials",
  description: "A new S3 key pair, which is the current one from now on."
})
export type RotatedS3Credentials = typeof RotatedS3Credentials.Type

export const S3KeyRow = Schema.Struct({
  access_key: Schema.String.annotateKey({ description: accessKey }),
  created_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "When this API made the key. RFC 3339, UTC. Null for a key that was created at the object gateway directly."
  }),
  current: Schema.Boolean.annotateKey({
    description:
      "Whether `GET /v1/object-storage/credentials` returns this key. It is the newest one that this API made, and " +
      "presigned URLs are signed with it."
  })
}).annotate({ identifier: "S3Key", description: "An S3 key of the tenant, without its secret." })
export type S3KeyRow = typeof S3KeyRow.Type

export const S3KeyList = wholeList("S3KeyList", {
  keys: Schema.Array(S3KeyRow).annotateKey({ description: "All keys of the tenant, sorted by `access_key`." })
})
export type S3KeyList = typeof S3KeyList.Type

export const S3KeyDeleted = Schema.Struct({
  access_key: Schema.String.annotateKey({ description: "The key that was deleted." }),
  deleted: Schema.Literal(true).annotateKey({ description: "Always true." })
}).annotate({ identifier: "S3KeyDeleted", description: "An S3 key that was deleted." })
export type S3KeyDeleted = typeof S3KeyDeleted.Type

const longestPrefix = 1024

const isPartOfKey = (text: string): boolean =>
  !text.includes("\0") && new TextEncoder().encode(text).length <= longestPrefix

const prefix = {
  prefix: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(isPartOfKey, {
        expected: `the beginning of a key: at most ${longestPrefix} bytes of UTF-8`
      })
    )
  ).annotateKey({
    description: `Only objects whose keys begin with this text: at most ${longestPrefix} bytes of UTF-8. Default: all.`
  })
}

const continuation = (token: Schema.Codec<string>) => ({
  continuation_token: Schema.optionalKey(token).annotateKey({
    description: "The `next_continuation_token` of the page before, unchanged. Default: the first page."
  })
})

const limit = (rows: string) => ({
  limit: Schema.optionalKey(
    Schema.NumberFromString.check(
      Schema.isInt({ expected: "a whole number" }),
      Schema.isBetween({ minimum: pageLimits.least, maximum: pageLimits.most })
    )
  ).annotateKey({
    description: `The most ${rows} of the page, ${pageLimits.least} to ${pageLimits.most}. Default ${pageLimits.usual}.`
  })
})

const objectToken = Schema.String.check(
  Schema.makeFilter((token: string) => afterOf(token) !== undefined, {
    expected: "the next_continuation_token of an earlier page"
  })
)

const objectQuery = {
  ...prefix,
  delimiter: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((text: string) => text !== "" && isPartOfKey(text), {
        expected: `a piece of a key, such as /: 1 to ${longestPrefix} bytes of UTF-8`
      })
    )
  ).annotateKey({
    description:
      "Where keys are cut: objects whose keys have this text after the prefix are not listed, but their " +
      "`common_prefixes`. `/` lists one folder. Default: no cut."
  }),
  ...continuation(objectToken),
  ...limit("objects and common prefixes")
}

const versionQuery = { ...prefix, ...continuation(versionToken), ...limit("versions") }

const versionId = (description: string) => ({
  version_id: Schema.optionalKey(VersionId).annotateKey({ description })
})

const presignQuery = {
  expires_in: Schema.optionalKey(
    Schema.NumberFromString.check(
      Schema.isInt({ expected: "a whole number" }),
      Schema.isBetween({ minimum: presignLimits.least, maximum: presignLimits.most })
    )
  ).annotateKey({
    description:
      `The lifetime of the URL in seconds, ${presignLimits.least} to ${presignLimits.most}. ` +
      `Default ${presignLimits.usual}.`
  }),
  ...versionId("The version to read. Default: the newest.")
}

const name = { name: Schema.String.annotateKey({ description: "The bucket's name." }) }

const objectKey = Schema.String.annotateKey({
  description:
    "The object's key, percent-encoded once: the whole key, or each piece between its slashes. `2026/a b.jpg` is " +
    "`2026%2Fa%20b.jpg` or `2026/a%20b.jpg`. At most 1024 bytes of UTF-8."
})

/** The failures of the tenant's S3 user and of its buckets: every access may have to make the user first. */
const ofBuckets = [...ceilingCodes, ...upstreamCodes, "tier_move_in_progress"] as const

/** Of what reads or changes a bucket with the tenant's key, which is made where there is none. */
const withKey = [...ofBuckets, "bucket_not_found", "concurrent_deletion_state", "tenant_suspended"] as const

export class ObjectStorage extends HttpApiGroup.make("object-storage")
  .add(
    HttpApiEndpoint.get("listBuckets", "/object-storage/buckets", {
      success: BucketList,
      error: failures("upstream_failed")
    }).annotateMerge(
      described(
        "List buckets",
        "Returns all buckets of the tenant with the number of their objects and their size, and the endpoint for S3 " +
          "clients. Buckets that an S3 client made are in it, and so is the archive of the managed databases. There " +
          "are no pages."
      )
    ),
    HttpApiEndpoint.post("createBucket", "/object-storage/buckets", {
      payload: BucketCreate,
      success: BucketList.pipe(HttpApiSchema.status(201)),
      error: failures(...ofBuckets, "bucket_name_taken")
    })
      .annotateMerge(
        described(
          "Create a bucket",
          "Makes an empty bucket without versioning, which can be used at once, and returns the list of all buckets. " +
            "The first bucket also makes the tenant's user at the object gateway. A bucket that the tenant already " +
            "has is answered like a new one, so a request can be repeated; a name that another tenant has is a 409 " +
            "(`bucket_name_taken`). The tier bounds how many buckets there are (5, 25 or 100: 409 `ceiling_reached` " +
            "with the numbers) and how much they hold together (20, 100 or 300 GiB, which the object gateway " +
            "enforces at each upload)."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.delete("removeBucket", "/object-storage/buckets/:name", {
      params: name,
      success: BucketDeleted,
      error: failures(...withKey, "bucket_not_empty")
    }).annotateMerge(
      described(
        "Delete an empty bucket",
        "Deletes a bucket in which there is nothing. Objects, old versions, delete markers and the parts of " +
          "unfinished uploads all count as content (409 `bucket_not_empty`): delete them with an S3 client first. " +
          "Other tenants can take the name afterwards. Do not delete the bucket whose `managed_by` is `databases`: " +
          "managed databases can then not be restored."
      )
    ),
    HttpApiEndpoint.get("listObjects", "/object-storage/buckets/:name/objects", {
      params: name,
      query: objectQuery,
      success: ObjectPage,
      error: failures(...withKey)
    }).annotateMerge(
      described(
        "List objects of a bucket",
        "Returns one page of the objects in a bucket, in the byte order of their keys, without their content. With " +
          "`delimiter` a page is one level of a tree: objects, and the common prefixes under which there are more. " +
          "Only the newest version of each object is listed. A page begins behind the last key of the page before, so " +
          "objects that are written or deleted meanwhile move nothing. For a tenant without an S3 key the call makes " +
          "one, as `GET /v1/object-storage/credentials` does."
      )
    ),
    HttpApiEndpoint.get("listVersions", "/object-storage/buckets/:name/versions", {
      params: name,
      query: versionQuery,
      success: ObjectVersionPage,
      error: failures(...withKey)
    }).annotateMerge(
      described(
        "List versions of a bucket's objects",
        "Returns one page of all versions and delete markers in a bucket, in the byte order of their keys and newest " +
          "first within a key, without their content. In a bucket that never kept versions each object is one " +
          "version with the id `null`."
      )
    ),
    HttpApiEndpoint.delete("removeObject", "/object-storage/buckets/:name/objects/:key", {
      params: { ...name, key: objectKey },
      query: versionId("The version or delete marker to delete for good. Default: the object."),
      success: ObjectDeleted,
      error: failures(...withKey, "bucket_managed", "object_not_found")
    }).annotateMerge(
      described(
        "Delete an object, or one of its versions",
        "Deletes an object. In a bucket that keeps versions its content stays as an old version behind a delete " +
          "marker; in any other it is lost. An absent object is a 404. With `version_id` that version or delete " +
          "marker is deleted for good. A missing one is not an error, so the call may be repeated. The archive of " +
          "the managed databases is refused (409 `bucket_managed`)."
      )
    ),
    HttpApiEndpoint.get("presign", "/object-storage/buckets/:name/objects/:key/presigned", {
      params: { ...name, key: objectKey },
      query: presignQuery,
      success: Unstored(Presigned),
      error: failures(...withKey, "object_not_found")
    })
      .annotateMerge(
        described(
          "Presign a URL that reads an object",
          "Returns a URL from which anyone can download one existing object, or one version of it, with a plain GET, " +
            "without a credential, until it expires. It cannot write. It is signed with the tenant's current S3 key: it stops working when " +
            "that key is deleted, and cannot be revoked otherwise. The call leaves an audit record without the " +
            "object's key."
        )
      )
      .annotate(AnswersSecret, "grant"),
    HttpApiEndpoint.post("presignUpload", "/object-storage/buckets/:name/objects/:key/presigned", {
      params: { ...name, key: objectKey },
      payload: PresignUpload,
      success: Unstored(PresignedUpload),
      error: failures(
        ...withKey,
        "bucket_managed",
        "object_exists",
        "object_key_refused",
        "policy_denied",
        "tier_too_low"
      )
    })
      .annotateMerge(
        described(
          "Presign the upload of an object",
          "Returns an address to which anyone can upload one object of a given size with PUT until it expires. The " +
            "uploader sends the content, and can neither give the object an ACL nor copy another object into it."
        )
      )
      .annotate(AnswersSecret, "grant")
      .annotate(DestroysWith, { flag: "overwrite" }),
    HttpApiEndpoint.get("versioning", "/object-storage/buckets/:name/versioning", {
      params: name,
      success: Versioning,
      error: failures(...withKey)
    }).annotateMerge(
      described("Show a bucket's versioning", "Says whether the bucket keeps old versions of its objects.")
    ),
    HttpApiEndpoint.put("setVersioning", "/object-storage/buckets/:name/versioning", {
      params: name,
      payload: VersioningUpdate,
      success: Versioning,
      error: failures(...withKey)
    }).annotateMerge(
      described(
        "Enable or suspend a bucket's versioning",
        "Enables versioning, or suspends it; it never becomes `unset` again. Versions that exist stay either way and " +
          "count against the tenant's object storage. A bucket with object lock refuses the suspension (409 with " +
          "the object gateway's message). The call may be repeated."
      )
    ),
    HttpApiEndpoint.get("cors", "/object-storage/buckets/:name/cors", {
      params: name,
      success: BucketCors,
      error: failures(...withKey)
    }).annotateMerge(
      described(
        "Show a bucket's CORS rules",
        "Returns the rules by which pages of other origins may use the bucket in a browser, and an empty list for a " +
          "bucket without rules."
      )
    ),
    HttpApiEndpoint.put("setCors", "/object-storage/buckets/:name/cors", {
      params: name,
      payload: BucketCorsUpdate,
      success: BucketCors,
      error: failures(...withKey)
    }).annotateMerge(
      described(
        "Replace a bucket's CORS rules",
        "Replaces all rules by which pages of other origins may use the bucket in a browser. The rules give no " +
          "access: a page still needs a presigned URL or a key. Give each origin one rule with all its methods, " +
          "because the object gateway may look at the first rule of an origin only. Rules that it refuses are a " +
          "422 with its message. The call may be repeated."
      )
    ),
    HttpApiEndpoint.delete("removeCors", "/object-storage/buckets/:name/cors", {
      params: name,
      success: BucketCorsDeleted,
      error: failures(...withKey)
    }).annotateMerge(
      described(
        "Delete a bucket's CORS rules",
        "Deletes all rules: no page of another origin can use the bucket in a browser any more. Objects and keys " +
          "stay. A bucket without rules is not an error, so the call may be repeated."
      )
    ),
    HttpApiEndpoint.get("credentials", "/object-storage/credentials", {
      success: Unstored(S3Credentials),
      error: failures(
        ...ceilingCodes,
        "concurrent_deletion_state",
        "tenant_suspended",
        "tier_move_in_progress",
        "upstream_failed"
      )
    })
      .annotateMerge(
        described(
          "Show the tenant's S3 key pair",
          "Returns the current S3 key pair with its secret, and the endpoint for S3 clients. The first call makes " +
            "the tenant's user at the object gateway and a key; later calls return the same one. The pair reaches " +
            "every bucket of the tenant, to read, write and delete. A tenant without a key gets none while it is " +
            "suspended (403) or being deleted (409). Every call leaves an audit record."
        )
      )
      .annotate(AnswersSecret, "stored"),
    HttpApiEndpoint.post("rotate", "/object-storage/credentials/rotate", {
      success: Unstored(RotatedS3Credentials),
      error: failures(...ceilingCodes, "tier_move_in_progress", "upstream_failed")
    })
      .annotateMerge(
        described(
          "Rotate the tenant's S3 key pair",
          "Makes a new key pair, which is the current one from now on, and returns it. Earlier pairs keep " +
            "working until they are deleted with `DELETE /v1/object-storage/keys/{access_key}`: give the new pair " +
            "to all clients first. A tenant has at most 10 pairs (409 `ceiling_reached`). Each call without an " +
            "idempotency key makes another pair; when a response was lost, `GET /v1/object-storage/credentials` " +
            "returns the pair."
        )
      )
      // A new key of a user with access to all existing buckets.
      .annotate(AnswersSecret, "stored")
      .middleware(Creates),
    HttpApiEndpoint.get("listKeys", "/object-storage/keys", {
      success: S3KeyList,
      error: failures("upstream_failed")
    }).annotateMerge(
      described(
        "List S3 keys",
        "Returns all S3 keys of the tenant without their secrets. The key with which the managed databases write " +
          "their archive is not among them. There are no pages."
      )
    ),
    HttpApiEndpoint.delete("removeKey", "/object-storage/keys/:access_key", {
      params: {
        access_key: Schema.String.annotateKey({
          description: "The `access_key` of a key; its `$` is written `%24` in the path."
        })
      },
      success: S3KeyDeleted,
      error: failures("access_key_not_found", "concurrent_change", "upstream_failed")
    })
      .annotateMerge(
        described(
          "Delete an S3 key",
          "Deletes one key. From then on the object gateway refuses every request and every presigned URL that is " +
            "signed with it; buckets and objects stay. The current key may be deleted too: then the newest of the " +
            "others is the current one, and without any the next call that needs a key makes one. The key of the " +
            "databases' archive, `tenant$<project_id>-db-archive`, is replaced: its old secret stops to work, and " +
            "the databases get the new one. It works in every state of the tenant, so that a leaked key can always " +
            "be deleted."
        )
      )
      // A leaked key must be revocable, whatever the state of the project is.
      .annotate(WhileClosing, true)
  )
  .annotateMerge(
    titled(
      "Object Storage",
      "Buckets and S3 keys of a tenant. A bucket is a named container of objects, and an object is a file under a " +
        "key. This API manages buckets and keys; the objects' bytes never pass through it. Any S3 client reads and " +
        "writes them at the `endpoint` that the responses name, with the tenant's S3 key pair."
    )
  )
  .pipe(tenantRoutes) {}
