import type { CallerTenant } from "@portico/contract/Access"
import { Conflict, Forbidden } from "@portico/contract/Failures"
import type { S3Credentials } from "@portico/contract/ObjectStorage"
import { Effect, Redacted } from "effect"
import { changingObjectStorage, currentKey, mintKey, tenantKey, type TenantKey } from "./account.ts"

/**
 * The tenant's current S3 key with its secret, on every call (contract). The
 * first call creates the S3 user, with the tier's quota, and the key. For a
 * tenant that is being deleted or closed, or is suspended, nothing is created.
 *
 * Errors: for such a tenant without a key, 409 when it is closing and 403 when
 * it is suspended; 409 while another change is under way; 503 and 404 of the
 * tier; 502.
 */
export const showCredentials = Effect.fn("objectStorage.showCredentials")(function* (tenant: CallerTenant) {
  if (!tenant.closing && !tenant.suspended) return credentialsOf(yield* tenantKey(tenant.projectId))
  const found = yield* currentKey(tenant.projectId)
  if (found !== undefined) return credentialsOf(found)
  return yield* tenant.closing ? Conflict.closing() : Forbidden.tenantSuspended()
})

/**
 * Mints a new key pair, which is the current one from now on. Earlier pairs
 * work until they are deleted.
 *
 * Errors: 409 with the numbers at the ceiling; those of {@link
 * showCredentials}.
 */
export const rotateCredentials = Effect.fn("objectStorage.rotateCredentials")(function* (projectId: string) {
  return credentialsOf(yield* changingObjectStorage(projectId, mintKey(projectId)))
})

const credentialsOf = ({ accessKey, endpoint, secretKey, uid }: TenantKey): S3Credentials => ({
  access_key: accessKey,
  secret_key: Redacted.value(secretKey),
  uid,
  endpoint
})
