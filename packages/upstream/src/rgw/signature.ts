import { Sha256 } from "@aws-crypto/sha256-js"
import { Redacted } from "effect"
import type { S3Key } from "./keys.ts"

/** The key and the time of a signature. */
export interface Signing {
  readonly key: S3Key
  readonly region: string
  readonly signingDate: Date
}

export const credentialsOf = ({ accessKey, secretKey }: S3Key) => ({
  accessKeyId: accessKey,
  secretAccessKey: Redacted.value(secretKey)
})

/** The settings that both kinds of signature share. */
export const signatureOf = ({ key, region }: Omit<Signing, "signingDate">) => ({
  credentials: credentialsOf(key),
  region,
  sha256: Sha256,
  uriEscapePath: false
})
