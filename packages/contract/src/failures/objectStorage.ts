import type { Resource } from "./Resource.ts"

/** Failures of buckets, objects and S3 keys. */
export const objectStorage = {
  NotFound: {
    /** Another customer's bucket, or an unknown one. */
    bucket: {
      code: "bucket_not_found",
      detail: (name: string) => `Bucket '${name}' not found`,
      example: ["photos"],
      cause: "No such bucket exists, or it belongs to another tenant.",
      fix: "Take a name from GET /v1/object-storage/buckets."
    },
    object: {
      code: "object_not_found",
      detail: (key: string) => `Object '${key}' not found`,
      example: ["a/b c"],
      cause: "The bucket has no object with this key, its newest version is a delete marker, or no key can be so.",
      fix: "Take a key from GET /v1/object-storage/buckets/{name}/objects, and encode it as docs/tenants/objects.md says."
    },
    s3Key: {
      code: "access_key_not_found",
      detail: (accessKey: string) => `S3 key '${accessKey}' not found`,
      example: ["tenant$p-1"],
      cause: "The tenant has no S3 key with this access key.",
      fix: "Take one from GET /v1/object-storage/keys, and encode its dollar sign as %24."
    }
  },
  Conflict: {
    /** Does not disclose the owner: bucket names are global, as on S3. */
    bucketNameTaken: {
      code: "bucket_name_taken",
      detail: (name: string) =>
        `The bucket name '${name}' is not available; bucket names are unique across the platform, choose another one`,
      example: ["photos"],
      cause: "A bucket of this name exists already, and it is not the tenant's.",
      fix: "Choose another name."
    },
    bucketNotEmpty: {
      code: "bucket_not_empty",
      detail: (name: string) =>
        `Bucket '${name}' is not empty: delete its objects first, with all their versions, delete markers and ` +
        "unfinished multipart uploads",
      example: ["photos"],
      cause: "The bucket holds objects, old versions, delete markers or the parts of unfinished uploads.",
      fix: "Delete them with an S3 client, then delete the bucket."
    },
    objectExists: {
      code: "object_exists",
      detail: (key: string) => `Object '${key}' exists already; presign with overwrite to replace it`,
      example: ["a/b c"],
      cause: "The bucket has an object with this key, and the upload is not allowed to replace one.",
      fix: "Choose another key, or send `overwrite: true`, which needs tier 2."
    },
    bucketManaged: {
      code: "bucket_managed",
      detail: (name: string) =>
        `Bucket '${name}' holds the backups of managed databases: objects are neither uploaded to it nor deleted from it`,
      example: ["db-archive-p-1-0f1e2d3c"],
      cause:
        "The bucket is the archive of the tenant's managed databases: objects that are put into it or deleted " +
        "from it can break their backups.",
      fix: "Use another bucket."
    }
  },
  Unprocessable: {
    objectKey: {
      code: "object_key_refused",
      detail: "No object can have this key: a key has 1 to 1,024 bytes of UTF-8, none of which is 0",
      cause: "The key of an upload is empty, longer than 1,024 bytes, or holds a NUL.",
      fix: "Choose a key that S3 takes."
    }
  }
} as const satisfies Resource
