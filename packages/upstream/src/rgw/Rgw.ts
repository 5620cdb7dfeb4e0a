import { Context, Effect, Layer } from "effect"
import type { Stamp } from "../keystone/Keystone.ts"
import type { Taken, UpstreamError } from "../UpstreamError.ts"
import { adminOf } from "./admin.ts"
import { bucketsOf, type BucketStats } from "./buckets.ts"
import { keysOf, type S3Key } from "./keys.ts"
import { type RgwQuotas, usersOf } from "./users.ts"

/**
 * The admin operations of the object gateway: one S3 user per tenant, its
 * quota, its keys, and the statistics of its buckets. Sizes are in bytes. The
 * requests are signed like S3 requests, by a user with the capabilities
 * `users=*;buckets=*;usage=read`.
 */
export class Rgw extends Context.Service<
  Rgw,
  {
    /** The tenant's S3 user: `tenant$<project_id>`. */
    uid(projectId: string): string
    /** The projects that have an S3 user, known by its id. */
    readonly holders: Effect.Effect<ReadonlyArray<string>, UpstreamError>
    /** Creates the user without keys, or finds the one that this stamp created before. */
    createUser(
      options: Stamp & { readonly projectId: string; readonly maxBuckets: number }
    ): Effect.Effect<void, UpstreamError | Taken>
    /** Removes the user only if it carries the stamp. */
    removeUser(options: Stamp & { readonly projectId: string }): Effect.Effect<void, UpstreamError>
    /** The enforced quotas: a disabled quota is unlimited, which is -1. Undefined for a tenant without a user. */
    readQuotas(projectId: string): Effect.Effect<RgwQuotas | undefined, UpstreamError>
    /**
     * Removes the user with all its buckets, objects, versions and unfinished
     * uploads, regardless of the stamp: by its id it is the tenant's.
     */
    destroyUser(projectId: string): Effect.Effect<void, UpstreamError>
    /** All of a tenant's buckets, in one call. */
    listBuckets(projectId: string): Effect.Effect<ReadonlyArray<BucketStats>, UpstreamError>
    /** One of the tenant's own buckets; undefined when it does not exist, or is another tenant's. */
    findBucket(projectId: string, name: string): Effect.Effect<BucketStats | undefined, UpstreamError>
    /** In the order of their access keys; undefined for a tenant without a user. */
    listKeys(projectId: string): Effect.Effect<ReadonlyArray<S3Key> | undefined, UpstreamError>
    /** Adds a key to an existing user. The access key must be new: an existing one would lose its secret. */
    createKey(projectId: string, accessKey: string): Effect.Effect<S3Key, UpstreamError>
    /** A key that is gone is no error. */
    removeKey(projectId: string, accessKey: string): Effect.Effect<void, UpstreamError>
    /** The size and object limits of an existing user. */
    writeQuota(projectId: string, quotas: RgwQuotas): Effect.Effect<void, UpstreamError>
    /** Writes the bucket limit too, and creates the user of a tenant that has none. */
    writeQuotas(
      options: Stamp & { readonly projectId: string; readonly quotas: RgwQuotas }
    ): Effect.Effect<void, UpstreamError | Taken>
  }
>()("portico/upstream/rgw/Rgw") {
  static readonly layer = Layer.effect(
    Rgw,
    Effect.map(adminOf, (admin) => Rgw.of({ uid: admin.uid, ...usersOf(admin), ...bucketsOf(admin), ...keysOf(admin) }))
  )
}
