import { Result } from "effect"
import { json, type Matched, router, type Routes } from "../Wire.ts"
import { deleteBucket, getBuckets, putBucketQuota } from "./buckets.ts"
import { refuse } from "./errors.ts"
import { getQuota, putQuota } from "./quotas.ts"
import { bySubresource, capable } from "./request.ts"
import { s3Router } from "./s3/routes.ts"
import { createKey, createUser, deleteKey, deleteUser, getUser, listUsers, modifyUser } from "./users.ts"

const administration: Routes = {
  "GET /admin/user": capable("users", "read", bySubresource({ quota: getQuota, list: listUsers }, getUser)),
  "PUT /admin/user": capable("users", "write", bySubresource({ quota: putQuota, key: createKey }, createUser)),
  "POST /admin/user": capable("users", "write", modifyUser),
  "DELETE /admin/user": capable("users", "write", bySubresource({ key: deleteKey }, deleteUser)),
  "GET /admin/bucket": capable("buckets", "read", getBuckets),
  "PUT /admin/bucket": capable(
    "buckets",
    "write",
    bySubresource({ quota: putBucketQuota }, () => refuse("InvalidArgument"))
  ),
  "DELETE /admin/bucket": capable("buckets", "write", deleteBucket),
  "GET /admin/usage": capable("usage", "read", () => Result.succeed(json(200, { entries: [], summary: [] })))
}

const administrationRouter = router(administration)

/** The admin API has a path of its own, everything else is S3: a bucket named `admin` is unreachable. */
export const rgwRouter = (method: string, path: string): Matched | undefined =>
  path === "/admin" || path.startsWith("/admin/") ? administrationRouter(method, path) : s3Router(path)
