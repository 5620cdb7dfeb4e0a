import { Result } from "effect"
import { entry } from "../../Json.ts"
import type { Step } from "../../Wire.ts"
import type { Acl, Bucket, ObjectVersion, Permission, RgwUser } from "../state.ts"
import { refuseS3 } from "./answers.ts"
import type { S3Request } from "./request.ts"
import { latest, versionsOf } from "./store.ts"

/** Whether the owner and the ACL allow the caller this permission. */
const mayAs = (user: RgwUser | undefined, owner: string, acl: Acl | undefined, permission: Permission): boolean =>
  user?.uid === owner ||
  (acl ?? []).some(
    (_) =>
      (_.permission === permission || _.permission === "FULL_CONTROL") &&
      (_.grantee === "AllUsers" ||
        (user !== undefined && (_.grantee === "AuthenticatedUsers" || _.grantee === user.uid)))
  )

/**
 * The bucket of the path with its owner, whose quotas count, if the caller has the permission; without a
 * permission, for every caller. Every caller may learn whether a bucket exists.
 */
export const bucketFor = (
  { bucket: name, rgw, tenant, user }: S3Request,
  permission?: Permission
): Step<{ bucket: Bucket; user: RgwUser }> => {
  const bucket = entry(rgw.buckets, `${tenant}/${name}`)
  if (bucket === undefined) return refuseS3("NoSuchBucket", name)
  const owner = entry(rgw.users, bucket.owner)
  return owner === undefined || (permission !== undefined && !mayAs(user, bucket.owner, bucket.acl, permission))
    ? refuseS3("AccessDenied", name)
    : Result.succeed({ bucket, user: owner })
}

/** The bucket for its owner only; no ACL grants this. */
export const ownBucket = (request: S3Request): Step<{ bucket: Bucket; user: RgwUser }> =>
  Result.flatMap(bucketFor(request), (_) =>
    request.user?.uid === _.bucket.owner ? Result.succeed(_) : refuseS3("AccessDenied", request.bucket)
  )

/** The object of the path. Only a caller that may list the bucket gets a 404 for a missing object; others get a 403. */
export const found = (request: S3Request, bucket: Bucket, permission: Permission): Step<ObjectVersion> => {
  const { key, query, user } = request
  const versionId = query.get("versionId")
  const version =
    versionId === null ? latest(bucket, key) : versionsOf(bucket, key).find((_) => _.version_id === versionId)
  if (version === undefined || version.is_marker) {
    return refuseS3(mayAs(user, bucket.owner, bucket.acl, "READ") ? "NoSuchKey" : "AccessDenied", bucket.bucket)
  }
  return mayAs(user, version.owner ?? bucket.owner, version.acl, permission)
    ? Result.succeed(version)
    : refuseS3("AccessDenied", bucket.bucket)
}
