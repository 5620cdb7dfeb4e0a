import type { Caller } from "@portico/contract/Access"
import type { KeyedCall } from "@portico/store/IdempotencyKeys"
import { Redacted } from "effect"
import { createHmac, hkdfSync } from "node:crypto"

const visible = /^[\x21-\x7e]{1,255}$/

/** A string of RFC 8941, section 3.3.3, without parameters; what is between the quotes may hold them escaped. */
const quoted = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * What a client calls a request: the structured string that the draft asks
 * for, or the same characters without quotes, as most clients send them.
 * Undefined when it is neither, or not of 1 to 255 visible ASCII characters.
 */
export const idempotencyKeyOf = (header: string): string | undefined => {
  const key = header.startsWith('"') ? quoted.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, "$1") : header
  return key !== undefined && visible.test(key) ? key : undefined
}

/** What of a request makes it the same as another. */
export interface KeyedRequest {
  readonly method: string
  /** As it was sent. */
  readonly path: string
  /** As it was sent; undefined when there is none. */
  readonly query: string | undefined
  readonly body: Uint8Array
}

/**
 * Recognises requests without keeping anything of them: HMAC-SHA-256 under a
 * key derived from the secret (HKDF, RFC 5869). A plain hash of a small body
 * could be found by trying.
 *
 * A key is its caller's alone, for one method and path: what another user of
 * the same tenant, or the same person in another tenant, sends under it is
 * something else.
 */
export const recognition = (secret: Redacted.Redacted) => {
  const key = Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", "portico/idempotency", 32))
  return ({ role, tenant, tier, userId }: Caller, name: string, request: KeyedRequest): KeyedCall => {
    const { body, method, path, query = "" } = request
    const who = [tenant?.projectId ?? null, userId, method, path, name]
    return {
      entry: createHmac("sha256", key).update(JSON.stringify(who)).digest("base64url"),
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
