import { createHash, createHmac, randomBytes } from "node:crypto"

/** A new secret, in the form of the Standard Webhooks specification: 32 random bytes. */
export const freshSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`

/** The signing key of a secret: the ASCII letters of the secret's SHA-256 in hexadecimal (contract, Events). */
export const keyOf = (secret: string): Buffer =>
  Buffer.from(createHash("sha256").update(secret, "utf8").digest("hex"), "ascii")

export interface Signed {
  /** The envelope's id. */
  readonly id: string
  /** The attempt's time in seconds since the epoch. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The header `webhook-signature` (Standard Webhooks 1.0.0): one signature of
 * `id.timestamp.body` per secret, separated by spaces.
 */
export const signatureOf = (secrets: ReadonlyArray<string>, { body, id, timestamp }: Signed): string =>
  secrets
    .map((secret) => `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`)
    .join(" ")
