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
}

/**
 * AES-256-GCM under a key derived from a secret (HKDF, RFC 5869).
 *
 * @param purpose what the key is for: each purpose derives its own key from the secret
 */
export const sealWith = (secret: Redacted.Redacted, purpose: string): Seal => {
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
