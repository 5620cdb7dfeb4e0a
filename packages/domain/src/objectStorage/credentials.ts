import type { S3Credentials } from "@portico/contract/ObjectStorage"
import { Effect, Redacted } from "effect"
import { changingObjectStorage, mintKey, tenantKey, type TenantKey } from "./account.ts"

/** The tenant's current S3 key with its secret, on every call (contract). Errors: those of {@link tenantKey}. */
export const showCredentials = Effect.fn("objectStorage.showCredentials")(function* (projectId: string) {
  return credentialsOf(yield* tenantKey(projectId))
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
