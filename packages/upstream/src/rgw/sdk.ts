import { Sha256 } from "@aws-crypto/sha256-js"
import { S3Client } from "@aws-sdk/client-s3"
import { SignatureV4 } from "@smithy/signature-v4"
import { Redacted } from "effect"
import type { S3Key } from "./keys.ts"

/** A request as the SDK has made and signed it. The path is percent-encoded, the query is not. */
export interface SdkRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string | ReadonlyArray<string> | null>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A sound answer: the SDK is not shown any other. */
export interface SdkResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What carries a request to the object gateway, and its answer back. */
export type Carrier = (request: SdkRequest, signal: AbortSignal | undefined) => Promise<SdkResponse>

/** Who signs, and when. */
export interface Signing {
  readonly key: S3Key
  readonly region: string
  readonly signingDate: Date
}

const credentialsOf = ({ accessKey, secretKey }: S3Key) => ({
  accessKeyId: accessKey,
  secretAccessKey: Redacted.value(secretKey)
})

/** What both kinds of signature are made with. */
export const signatureOf = ({ key, region }: Omit<Signing, "signingDate">) => ({
  credentials: credentialsOf(key),
  region,
  sha256: Sha256,
  uriEscapePath: false
})

/**
 * The SDK's client, with nothing left to it that it would look for elsewhere:
 * every setting that it reads from the environment, from shared configuration
 * files or from a metadata service is given here. It asks once, and signs at
 * the moment that it is told.
 *
 * @param endpoint where the object gateway is, without a slash at the end
 */
export const clientOf = (endpoint: string, { signingDate, ...signing }: Signing, carry: Carrier): S3Client => {
  const signer = new SignatureV4({ service: "s3", ...signatureOf(signing) })
  const client = new S3Client({
    endpoint,
    forcePathStyle: true,
    // The SDK puts its region into the request for a new bucket, unless it is this one. The signature has ours.
    region: "us-east-1",
    signer: { sign: (request) => signer.sign(request, { signingDate }) },
    credentials: credentialsOf(signing.key),
    requestHandler: {
      handle: async (request: SdkRequest, options?: { readonly abortSignal?: AbortSignal }) => ({
        response: await carry(request, options?.abortSignal)
      }),
      updateHttpClientConfig: () => {},
      httpHandlerConfigs: () => ({})
    },
    maxAttempts: 1,
    retryMode: "standard",
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    defaultsMode: "legacy",
    authSchemePreference: ["sigv4"],
    defaultUserAgentProvider: async () => [["portico"]],
    userAgentAppId: async () => undefined,
    disableClockSkewCorrection: true,
    disableS3ExpressSessionAuth: true,
    sigv4aSigningRegionSet: async () => undefined,
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false
  })
  // It looks for the environment of AWS Lambda.
  client.middlewareStack.remove("recursionDetectionMiddleware")
  return client
}
