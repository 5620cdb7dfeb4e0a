import { fixtures } from "../Fixtures.ts"
import { toMicrosUtc } from "../times.ts"

export interface Key {
  readonly access_key: string
  secret_key: string
}

export interface Cap {
  readonly type: string
  readonly perm: string
}

export interface Quota {
  readonly enabled: boolean
  readonly check_on_raw: boolean
  /** In bytes; negative is unlimited. */
  readonly max_size: number
  readonly max_objects: number
}

export interface RgwUser {
  /** `tenant$user`, or the bare name outside any tenant. */
  readonly uid: string
  readonly tenant: string
  readonly user_id: string
  display_name: string
  email: string
  suspended: boolean
  /** Positive is a limit, 0 is unlimited, negative forbids buckets. */
  max_buckets: number
  keys: ReadonlyArray<Key>
  caps: ReadonlyArray<Cap>
  user_quota: Quota
  /** The default of buckets without a quota of their own. */
  bucket_quota: Quota
  /** The usage of all buckets at the last request with `sync`; empty before the first. */
  synced?: Usage
}

/** Index statistics: each version counts, delete markers do not; sizes in bytes. */
export interface Usage {
  readonly size: number
  /** In blocks of 4 KiB, rounded up for each object. */
  readonly size_actual: number
  readonly num_objects: number
}

export type Permission = "READ" | "WRITE" | "READ_ACP" | "WRITE_ACP" | "FULL_CONTROL"

export interface Grant {
  /** A uid, `AllUsers` or `AuthenticatedUsers`. */
  readonly grantee: string
  readonly permission: Permission
}

/** The grants of an ACL; the owner always has full control. */
export type Acl = ReadonlyArray<Grant>

/** A version of an object, or a delete marker. */
export interface ObjectVersion {
  readonly key: string
  /** `null` for a version that was written while the bucket had no versions. */
  readonly version_id: string
  /** The uid of its writer; absent for the bucket's owner. */
  readonly owner?: string
  /** Absent for full control of its owner alone. */
  readonly acl?: Acl
  readonly is_marker: boolean
  /** Clock milliseconds of the write. */
  readonly written: number
  /** Without quotes. */
  readonly etag: string
  readonly size: number
  /** Base64. */
  readonly body: string
  /** The headers that a read repeats: content type and user metadata. */
  readonly headers: Readonly<Record<string, string>>
}

export interface Part {
  readonly number: number
  readonly etag: string
  readonly size: number
  readonly written: number
  /** Base64. */
  readonly body: string
}

/** A multipart upload that is neither completed nor aborted. */
export interface Upload {
  readonly id: string
  readonly key: string
  readonly initiated: number
  readonly headers: Readonly<Record<string, string>>
  /** By number. */
  parts: ReadonlyArray<Part>
}

/** A rule by which pages of other origins may use a bucket. */
export interface CorsRule {
  /** Empty without one. */
  readonly id: string
  /** In the order of the document, each once. */
  readonly methods: ReadonlyArray<string>
  /** Sorted, each once. */
  readonly origins: ReadonlyArray<string>
  /** Sorted, each once. */
  readonly headers: ReadonlyArray<string>
  readonly exposed: ReadonlyArray<string>
  /** In seconds; null when the rule has none. */
  readonly maxAge: number | null
}

export interface Bucket {
  readonly bucket: string
  readonly tenant: string
  /** The owner's uid. */
  readonly owner: string
  readonly id: string
  readonly creation_time: string
  mtime: string
  versioning: "off" | "enabled" | "suspended"
  size: number
  size_actual: number
  num_objects: number
  /** Storage categories that have ever had an object; their statistics stay. */
  held: ReadonlyArray<"rgw.main" | "rgw.multimeta">
  bucket_quota: Quota
  /** Absent for full control of its owner alone. */
  acl?: Acl
  /** Absent without a configuration. */
  cors?: ReadonlyArray<CorsRule>
  /** By key in byte order; the versions of a key are newest first. */
  objects: ReadonlyArray<ObjectVersion>
  uploads: ReadonlyArray<Upload>
}

export interface RgwState {
  /** By uid. */
  readonly users: Record<string, RgwUser>
  /** By `tenant/bucket`. */
  readonly buckets: Record<string, Bucket>
}

export const noQuota: Quota = { enabled: false, check_on_raw: false, max_size: -1, max_objects: -1 }

/** A new bucket: empty and unversioned. */
export const newBucket = (
  given: Pick<Bucket, "bucket" | "tenant" | "owner" | "id"> & { readonly now: number }
): Bucket => {
  const { now, ...bucket } = given
  const time = toMicrosUtc(now)
  return {
    ...bucket,
    creation_time: time,
    mtime: time,
    versioning: "off",
    size: 0,
    size_actual: 0,
    num_objects: 0,
    held: [],
    bucket_quota: noQuota,
    objects: [],
    uploads: []
  }
}

export const rgw = (): RgwState => ({
  users: {
    [fixtures.rgw.uid]: {
      uid: fixtures.rgw.uid,
      tenant: "",
      user_id: fixtures.rgw.uid,
      display_name: "Gateway",
      email: "",
      suspended: false,
      max_buckets: 1000,
      keys: [{ access_key: fixtures.rgw.accessKey, secret_key: fixtures.rgw.secretKey }],
      caps: [
        { type: "buckets", perm: "*" },
        { type: "usage", perm: "read" },
        { type: "users", perm: "*" }
      ],
      user_quota: noQuota,
      bucket_quota: noQuota
    }
  },
  buckets: {}
})
