import {
  type BucketVersioningStatus,
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketVersioningCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { S3RequestPresigner } from "@aws-sdk/s3-request-presigner"
import { Config, Context, DateTime, Duration, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { retryTransient, timeLimit } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"
import { rgwRegion } from "./admin.ts"
import { carrierOf, type Expected } from "./carrier.ts"
import type { S3Key } from "./keys.ts"
import { objectPath, queryOf, sendablePath } from "./paths.ts"
import { clientOf, signatureOf } from "./sdk.ts"

export interface S3Object {
  readonly key: string
  readonly sizeBytes: number
  readonly modified: DateTime.Utc
  /** Without quotation marks. */
  readonly etag: string
  readonly storageClass: string | undefined
}

/**
 * The gateway's operations in a tenant's buckets, with the tenant's own key.
 * Reads are retried after a transient failure.
 */
export interface S3Operations {
  /** A bucket that the user already has is no error. */
  createBucket(name: string): Effect.Effect<void, UpstreamError>
  deleteBucket(name: string): Effect.Effect<void, UpstreamError>
  /** Whether there are unfinished multipart uploads. Some releases abort them when the bucket is deleted. */
  hasUploads(bucket: string): Effect.Effect<boolean, UpstreamError>
  /** In the byte order of the keys. `more`: whether further objects follow. */
  listObjects(options: {
    readonly bucket: string
    readonly prefix: string
    readonly limit: number
    /** The page starts after this key. */
    readonly after: string | undefined
  }): Effect.Effect<{ readonly objects: ReadonlyArray<S3Object>; readonly more: boolean }, UpstreamError>
  hasObject(bucket: string, key: string): Effect.Effect<boolean, UpstreamError>
  /** Undefined when it was never set. */
  versioning(bucket: string): Effect.Effect<BucketVersioningStatus | undefined, UpstreamError>
  setVersioning(bucket: string, status: BucketVersioningStatus): Effect.Effect<void, UpstreamError>
  /**
   * A URL under {@link S3.endpoint} with which anyone can read the object for
   * this many seconds. It makes no request to the object gateway.
   */
  presign(options: {
    readonly bucket: string
    readonly key: string
    readonly seconds: number
  }): Effect.Effect<{ readonly url: string; readonly expiresAt: DateTime.Utc }>
}

/**
 * The S3 API of the object gateway, path style. Each request is signed with the
 * key of the user whose buckets it concerns.
 */
export class S3 extends Context.Service<
  S3,
  {
    /** The public endpoint for tenants, without a trailing slash. */
    readonly endpoint: string
    as(key: S3Key): S3Operations
  }
>()("portico/upstream/rgw/S3") {
  static readonly layer = Layer.effect(
    S3,
    Effect.gen(function* () {
      const url = yield* Config.URL("RGW_URL")
      const publicUrl = yield* Config.URL("OBJECT_STORAGE_PUBLIC_URL").pipe(Config.withDefault(url))
      const region = yield* rgwRegion
      const http = yield* HttpClient.HttpClient
      const base = baseOf(url)

      const as = (key: S3Key): S3Operations => {
        const ask = Effect.fnUntraced(
          function* <A>(call: string, expected: Expected, of: (client: S3Client, signal: AbortSignal) => Promise<A>) {
            const services = yield* Effect.context<never>()
            const signingDate = DateTime.toDateUtc(yield* DateTime.now)
            const carry = carrierOf({ http, services, origin: url.origin, call, expected })
            const client = clientOf(base, { key, region, signingDate }, carry)
            return yield* Effect.tryPromise({ try: (signal) => of(client, signal), catch: failureOf(call) })
          },
          (effect, call) =>
            Effect.timeoutOrElse(effect, {
              duration: timeLimit,
              orElse: () => failed(call, `no answer within ${Duration.format(timeLimit)}`)
            })
        )

        return {
          createBucket: (Bucket) =>
            Effect.asVoid(
              ask("createBucket", "nothing", (client, abortSignal) =>
                client.send(new CreateBucketCommand({ Bucket }), { abortSignal })
              )
            ),
          deleteBucket: (Bucket) =>
            Effect.asVoid(
              ask("deleteBucket", "nothing", (client, abortSignal) =>
                client.send(new DeleteBucketCommand({ Bucket }), { abortSignal })
              )
            ),
          hasUploads: (Bucket) =>
            ask("listUploads", "ListMultipartUploadsResult", (client, abortSignal) =>
              client.send(new ListMultipartUploadsCommand({ Bucket, MaxUploads: 1, EncodingType: "url" }), {
                abortSignal
              })
            ).pipe(
              Effect.map((_) => (_.Uploads ?? []).length > 0),
              retryTransient
            ),
          listObjects: ({ after, bucket, limit, prefix }) =>
            ask("listObjects", "ListBucketResult", (client, abortSignal) =>
              client.send(
                new ListObjectsV2Command({
                  Bucket: bucket,
                  Prefix: prefix,
                  MaxKeys: limit,
                  // Keys may contain characters that XML cannot. The service's own continuation token would be the last
                  // key in clear text.
                  EncodingType: "url",
                  ...(after === undefined ? {} : { StartAfter: after })
                }),
                { abortSignal }
              )
            ).pipe(
              Effect.map(({ Contents = [], IsTruncated }) => ({
                objects: Contents.flatMap(({ ETag, Key, LastModified, Size, StorageClass }) =>
                  Key === undefined || LastModified === undefined
                    ? []
                    : [
                        {
                          key: decodeURIComponent(Key.replaceAll("+", " ")),
                          sizeBytes: Size ?? 0,
                          modified: DateTime.fromDateUnsafe(LastModified),
                          etag: (ETag ?? "").replaceAll('"', ""),
                          storageClass: StorageClass
                        }
                      ]
                ),
                more: IsTruncated === true
              })),
              retryTransient
            ),
          hasObject: (Bucket, Key) =>
            ask("headObject", "nothing", (client, abortSignal) =>
              client.send(new HeadObjectCommand({ Bucket, Key }), { abortSignal })
            ).pipe(
              Effect.as(true),
              retryTransient,
              Effect.catchIf(
                (error) => error.status === 404,
                () => Effect.succeed(false)
              )
            ),
          versioning: (Bucket) =>
            ask("getBucketVersioning", "VersioningConfiguration", (client, abortSignal) =>
              client.send(new GetBucketVersioningCommand({ Bucket }), { abortSignal })
            ).pipe(
              Effect.map((_) => _.Status),
              retryTransient
            ),
          setVersioning: (Bucket, Status) =>
            Effect.asVoid(
              ask("putBucketVersioning", "nothing", (client, abortSignal) =>
                client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }), {
                  abortSignal
                })
              )
            ),
          presign: ({ bucket, key: object, seconds }) =>
            Effect.gen(function* () {
              // A signature has a resolution of one second, and the lifetime begins at its time.
              const now = DateTime.startOf(yield* DateTime.now, "second")
              const path = objectPath(baseOf(publicUrl).slice(publicUrl.origin.length), bucket, object)
              const signed = yield* Effect.promise(() =>
                new S3RequestPresigner(signatureOf({ key, region })).presign(
                  {
                    method: "GET",
                    protocol: publicUrl.protocol,
                    hostname: publicUrl.hostname,
                    path,
                    query: {},
                    headers: { host: publicUrl.host }
                  },
                  { expiresIn: seconds, signingDate: DateTime.toDateUtc(now) }
                )
              )
              return {
                url: `${publicUrl.origin}${sendablePath(path)}?${queryOf(signed.query ?? {})}`,
                expiresAt: DateTime.add(now, { seconds })
              }
            })
        }
      }

      return S3.of({ endpoint: baseOf(publicUrl), as })
    })
  )
}

const failed = (call: string, words: string) => new UpstreamError({ upstream: "rgw", call, status: null, words })

/**
 * The SDK fails either with the gateway's own error, to which it adds
 * properties, or because it cannot parse a response.
 */
const failureOf =
  (call: string) =>
  (cause: unknown): UpstreamError =>
    cause instanceof UpstreamError
      ? new UpstreamError({
          upstream: cause.upstream,
          call: cause.call,
          status: cause.status,
          words: cause.words,
          ...(cause.code === undefined ? {} : { code: cause.code })
        })
      : failed(call, "answered with a body that is not understood")
