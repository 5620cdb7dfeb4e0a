import { Schema } from "effect"
import { versionAfterOf } from "./continuation.ts"

/** A version's id as the object gateway writes it; `null` is one too. */
export const VersionId = Schema.String.check(
  Schema.isPattern(/^[\w.-]{1,200}$/, { expected: "the version_id of a version" })
)

export const ObjectVersion = Schema.Struct({
  key: Schema.String.annotateKey({ description: "The key of the object." }),
  version_id: Schema.String.annotateKey({
    description: "The version's id. The text `null` for an object that was written while the bucket kept no versions."
  }),
  latest: Schema.Boolean.annotateKey({
    description: "Whether it is the newest of its key. An object whose newest is a delete marker is deleted."
  }),
  delete_marker: Schema.Boolean.annotateKey({
    description: "Whether it is a delete marker, which has no content. Deleting the marker brings the object back."
  }),
  size_bytes: Schema.NullOr(Schema.Int).annotateKey({ description: "The size in bytes. Null for a delete marker." }),
  modified: Schema.String.annotateKey({ description: "When it was written. RFC 3339, UTC." }),
  etag: Schema.NullOr(Schema.String).annotateKey({ description: "S3's ETag. Null for a delete marker." }),
  storage_class: Schema.NullOr(Schema.String).annotateKey({
    description: "S3's storage class. Null for a delete marker, and when the object gateway names none."
  })
}).annotate({ identifier: "ObjectVersion", description: "A version of an object, or a delete marker." })
export type ObjectVersion = typeof ObjectVersion.Type

export const ObjectVersionPage = Schema.Struct({
  bucket: Schema.String.annotateKey({ description: "The name of the bucket." }),
  prefix: Schema.String.annotateKey({ description: "The prefix of the request; empty when it named none." }),
  versions: Schema.Array(ObjectVersion).annotateKey({
    description: "The page, in the byte order of the keys, and newest first within a key."
  }),
  next_continuation_token: Schema.NullOr(Schema.String).annotateKey({
    description: "Send it as `continuation_token` to get the next page. Null on the last page."
  })
}).annotate({
  identifier: "ObjectVersionPage",
  description: "One page of the versions and delete markers in a bucket."
})
export type ObjectVersionPage = typeof ObjectVersionPage.Type

/** The token of a page of versions. */
export const versionToken = Schema.String.check(
  Schema.makeFilter((token: string) => versionAfterOf(token) !== undefined, {
    expected: "the next_continuation_token of an earlier page"
  })
)

export const ObjectDeleted = Schema.Struct({
  bucket: Schema.String.annotateKey({ description: "The name of the bucket." }),
  key: Schema.String.annotateKey({ description: "The key of the object." }),
  version_id: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The version that was deleted, or the delete marker that was added. Null in a bucket that never kept versions."
  }),
  delete_marker: Schema.Boolean.annotateKey({
    description:
      "Without `version_id` in the request: whether a delete marker was added, and the content is kept. With it: " +
      "whether the deleted version was a delete marker."
  }),
  deleted: Schema.Literal(true).annotateKey({ description: "Always true." })
}).annotate({ identifier: "ObjectDeleted", description: "An object, or a version of one, that was deleted." })
export type ObjectDeleted = typeof ObjectDeleted.Type
