import { S3Client } from "@aws-sdk/client-s3"
import { SignatureV4 } from "@smithy/signature-v4"
import { credentialsOf, type Signing, signatureOf } from "./signature.ts"

export {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketCorsCommand,
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketVersioningCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketVersioningCommand
} from "@aws-sdk/client-s3"
export { S3RequestPresigner } from "@aws-sdk/s3-request-presigner"

/** A request that the SDK has built and signed. The path is percent-encoded, the query is not. */
export interface SdkRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string | ReadonlyArray<string> | null>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A valid response. The SDK never gets another one. */
export interface SdkResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Sends a request to the object gateway and returns the response. */
export type Carrier = (request: SdkRequest, signal: AbortSignal | undefined) => Promise<SdkResponse>

/**
 * The SDK's client. It gets every setting that the SDK would otherwise read
 * from the environment, from shared configuration files or from a metadata
 * service. It makes one attempt, and signs with the given date.
 *
 * @param endpoint the object gateway's URL without a trailing slash
 */
export const clientOf = (endpoint: string, { signingDate, ...signing }: Signing, carry: Carrier): S3Client => {
  const signer = new SignatureV4({ service: "s3", ...signatureOf(signing) })
  const client = new S3Client({
    endpoint,
    forcePathStyle: true,
    // The SDK writes its region into a request for a new bucket, unless it is this one. The signature contains the
    // configured region.
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
  // This middleware reads the environment of AWS Lambda.
  client.middlewareStack.remove("recursionDetectionMiddleware")
  return client
}
