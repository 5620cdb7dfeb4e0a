import { Effect } from "effect"
import { retryTransient } from "../System.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Ask } from "./ask.ts"

const corsMethods = ["GET", "PUT", "POST", "DELETE", "HEAD"] as const
type CorsMethod = (typeof corsMethods)[number]

/** A CORS rule of a bucket. */
export interface S3CorsRule {
  readonly origins: ReadonlyArray<string>
  readonly methods: ReadonlyArray<CorsMethod>
  readonly headers: ReadonlyArray<string>
  readonly exposed: ReadonlyArray<string>
  readonly maxAgeSeconds: number | undefined
}

export interface CorsOperations {
  /** Empty for a bucket without rules. */
  cors(bucket: string): Effect.Effect<ReadonlyArray<S3CorsRule>, UpstreamError>
  /** Replaces all rules. */
  setCors(bucket: string, rules: ReadonlyArray<S3CorsRule>): Effect.Effect<void, UpstreamError>
  /** A bucket without rules is no error. */
  removeCors(bucket: string): Effect.Effect<void, UpstreamError>
}

/** The operations on a bucket's CORS rules. */
export const corsOf = (ask: Ask): CorsOperations => ({
  cors: (Bucket) =>
    ask("get bucket cors", "CORSConfiguration", (sdk, client, abortSignal) =>
      client.send(new sdk.GetBucketCorsCommand({ Bucket }), { abortSignal })
    ).pipe(
      Effect.map(({ CORSRules = [] }) =>
        CORSRules.map((_) => ({
          origins: _.AllowedOrigins ?? [],
          // RGW knows COPY too, which is no method of HTTP.
          methods: corsMethods.filter((method) => _.AllowedMethods?.includes(method)),
          headers: _.AllowedHeaders ?? [],
          exposed: _.ExposeHeaders ?? [],
          maxAgeSeconds: _.MaxAgeSeconds
        }))
      ),
      retryTransient,
      Effect.catchIf(
        (_) => _.code === "NoSuchCORSConfiguration",
        () => Effect.succeed([])
      )
    ),
  setCors: (Bucket, rules) =>
    Effect.asVoid(
      ask("put bucket cors", "nothing", (sdk, client, abortSignal) =>
        client.send(new sdk.PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: rules.map(toWire) } }), {
          abortSignal
        })
      )
    ),
  removeCors: (Bucket) =>
    Effect.asVoid(
      ask("delete bucket cors", "nothing", (sdk, client, abortSignal) =>
        client.send(new sdk.DeleteBucketCorsCommand({ Bucket }), { abortSignal })
      )
    )
})

const toWire = ({ exposed, headers, maxAgeSeconds, methods, origins }: S3CorsRule) => ({
  AllowedOrigins: [...origins],
  AllowedMethods: [...methods],
  AllowedHeaders: [...headers],
  ExposeHeaders: [...exposed],
  ...(maxAgeSeconds === undefined ? {} : { MaxAgeSeconds: maxAgeSeconds })
})
