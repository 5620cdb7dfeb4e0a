import type { TenantKeys } from "@portico/upstream/tenantKeys"
import { Option, Redacted } from "effect"
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"

const cipher = "aes-256-gcm"
const ivBytes = 12
const tagBytes = 16

/**
 * Encrypts stored secrets. Each secret is bound to a name: a value sealed under one name cannot be
 * opened under another.
 */
export interface Seal {
  close(name: string, secret: Uint8Array): string
  /** Undefined when the value was sealed under another secret or name, or was changed. */
  open(name: string, sealed: string): Buffer | undefined
  /** The secret, sealed anew. Undefined when the first key has sealed it already, or no key opens it. */
  renew(name: string, sealed: string): string | undefined
}

/**
 * AES-256-GCM under keys derived from secrets (HKDF, RFC 5869). The first one seals, and each of them opens what it
 * sealed.
 *
 * @param purpose what the keys are for: each purpose derives its own key from each secret
 */
export const sealWith = ([first, ...others]: TenantKeys, purpose: string): Seal => {
  const { close, open } = sealOf(first, purpose)
  const opens = others.map((_) => sealOf(_, purpose).open)
  const openOther = (name: string, sealed: string): Buffer | undefined => {
    for (const open of opens) {
      const opened = open(name, sealed)
      if (opened !== undefined) return opened
    }
    return undefined
  }
  return {
    close,
    open: (name, sealed) => open(name, sealed) ?? openOther(name, sealed),
    renew: (name, sealed) => {
      const opened = open(name, sealed) === undefined ? openOther(name, sealed) : undefined
      return opened && close(name, opened)
    }
  }
}

const sealOf = (secret: Redacted.Redacted, purpose: string): Pick<Seal, "close" | "open"> => {
  const key = Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", purpose, 32))

  const opened = Option.liftThrowable((name: string, sealed: string) => {
    const bytes = Buffer.from(sealed, "base64url")
    const decipher = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(name))
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
  })

  return {
    close: (name, secret) => {
      const iv = randomBytes(ivBytes)
      const encipher = createCipheriv(cipher, key, iv, { authTagLength: tagBytes })
      encipher.setAAD(Buffer.from(name))
      const closed = Buffer.concat([encipher.update(secret), encipher.final()])
      return Buffer.concat([iv, encipher.getAuthTag(), closed]).toString("base64url")
    },
    open: (name, sealed) => Option.getOrUndefined(opened(name, sealed))
  }
}
