import { NotFound } from "@portico/contract/Failures"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { S3 } from "@portico/upstream/rgw/S3"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { tenantKey } from "./account.ts"

/** Names that a bucket can have, whoever made it, and that the SDK takes for nothing else. */
const possible = /^(?!.*(--x-s3|--ol-s3|--table-s3|-s3alias|\.mrap)$)[A-Za-z0-9][\w.-]{2,254}$/

/**
 * What can be done in one of the tenant's own buckets. Whose it is, is asked of
 * the administrator's side: another customer may have opened a bucket to
 * everybody, and it is not there all the same.
 *
 * Errors: 404; 502; those of the tenant's key.
 */
export const ownBucket = Effect.fnUntraced(function* (projectId: string, name: string) {
  if (!possible.test(name)) return yield* NotFound.bucket(name)
  const found = yield* Effect.mapError((yield* Rgw).findBucket(projectId, name), badGateway)
  if (found === undefined) return yield* NotFound.bucket(name)
  return (yield* S3).as(yield* tenantKey(projectId))
})
