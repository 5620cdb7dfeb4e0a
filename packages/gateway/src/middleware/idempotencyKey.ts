import type { Caller } from "@portico/contract/Access"
import type { KeyedCall } from "@portico/store/IdempotencyKeys"
import type { TenantKeys } from "@portico/upstream/tenantKeys"
import { Redacted } from "effect"
import { createHmac, hkdfSync } from "node:crypto"

const visible = /^[\x21-\x7e]{1,255}$/

/** A string of RFC 8941, section 3.3.3, without parameters. Quotes and backslashes inside are escaped. */
const quoted = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * The key of a request: the structured string of the IETF draft, or the same characters without quotes, as most
 * clients send them. Undefined when the header is neither, or the key is not 1 to 255 visible ASCII characters.
 */
export const idempotencyKeyOf = (header: string): string | undefined => {
  const key = header.startsWith('"') ? quoted.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, "$1") : header
  return key !== undefined && visible.test(key) ? key : undefined
}

/** The parts of a request that identify it. */
export interface KeyedRequest {
  readonly method: string
  /** As it was sent. */
  readonly path: string
  /** As it was sent; undefined when there is none. */
  readonly query: string | undefined
  readonly body: Uint8Array
}

/**
 * Recognises requests without storing their content: HMAC-SHA-256 under a key derived from the secret (HKDF, RFC
 * 5869). A plain hash of a small body could be reversed by brute force.
 *
 * A key belongs to one caller, method and path. The same key sent by another user of the tenant, or by the same
 * person in another tenant, is a different key.
 */
export const recognition = (keys: TenantKeys) => {
  const [first, ...others] = [recognitionBy(keys[0]), ...keys.slice(1).map(recognitionBy)] as const
  return (caller: Caller, name: string, request: KeyedRequest): RecognisedCall => ({
    call: first(caller, name, request),
    others: others.map((_) => _(caller, name, request))
  })
}

/** A call as the store knows it, and as it knows it from replicas for which another key is the first one. */
export interface RecognisedCall {
  readonly call: KeyedCall
  readonly others: ReadonlyArray<KeyedCall>
}

const recognitionBy = (secret: Redacted.Redacted) => {
  const key = Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", "portico/idempotency", 32))
  return ({ role, tenant, tier, userId }: Caller, name: string, request: KeyedRequest): KeyedCall => {
    const { body, method, path, query = "" } = request
    const scope = [tenant?.projectId ?? null, userId, method, path, name]
    return {
      entry: createHmac("sha256", key).update(JSON.stringify(scope)).digest("base64url"),
      fingerprint: createHmac("sha256", key)
        .update(JSON.stringify([method, path, query]))
        .update("\n")
        .update(body)
        .digest("base64url"),
      tier,
      role
    }
  }
}
