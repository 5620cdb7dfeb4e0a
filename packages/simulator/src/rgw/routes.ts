import { Result } from "effect"
import { json, type Routes } from "../Wire.ts"
import { deleteBucket, getBuckets, putBucketQuota } from "./buckets.ts"
import { refuse } from "./errors.ts"
import { getQuota, putQuota } from "./quotas.ts"
import { bySubresource, capable } from "./request.ts"
import { createKey, createUser, deleteKey, deleteUser, getUser, listUsers, modifyUser } from "./users.ts"

export const rgwRoutes: Routes = {
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
