import { fixtures } from "../Fixtures.ts"

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
  /** For each bucket that has none of its own. */
  bucket_quota: Quota
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
  num_objects: number
  bucket_quota: Quota
}

export interface RgwState {
  /** By uid. */
  readonly users: Record<string, RgwUser>
  /** By `tenant/bucket`. */
  readonly buckets: Record<string, Bucket>
}

export const noQuota: Quota = { enabled: false, check_on_raw: false, max_size: -1, max_objects: -1 }

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
