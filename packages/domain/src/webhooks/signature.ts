import { createHash, createHmac, randomBytes } from "node:crypto"

/** A new secret, in the form of the Standard Webhooks specification: 32 random bytes. */
export const freshSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`

/** The key of a secret, as the client was given it: the ASCII letters of its SHA-256 in hexadecimal (contract, Events). */
export const keyOf = (secret: string): Buffer =>
  Buffer.from(createHash("sha256").update(secret, "utf8").digest("hex"), "ascii")

export interface Signed {
  /** The envelope's id. */
  readonly id: string
  /** Seconds since 1970, of the attempt. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The header `webhook-signature` (Standard Webhooks 1.0.0): one signature a
 * secret, of `id.timestamp.body`, separated by spaces.
 */
export const signatureOf = (secrets: ReadonlyArray<string>, { body, id, timestamp }: Signed): string =>
  secrets
    .map((secret) => `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`)
    .join(" ")
