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
import { patiently, timeLimit } from "../System.ts"
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

/** What the gateway does in a tenant's buckets, with the tenant's own key. Reads are asked again when they fail in a way that may pass. */
export interface S3Operations {
  /** A bucket that the user has already is no error. */
  createBucket(name: string): Effect.Effect<void, UpstreamError>
  deleteBucket(name: string): Effect.Effect<void, UpstreamError>
  /** Whether uploads in parts were begun there and not ended: some releases abort them when the bucket is deleted. */
  hasUploads(bucket: string): Effect.Effect<boolean, UpstreamError>
  /** In the order of the keys' bytes. `more`: whether there are others behind them. */
  listObjects(options: {
    readonly bucket: string
    readonly prefix: string
    readonly limit: number
    /** The key behind which the page begins. */
    readonly after: string | undefined
  }): Effect.Effect<{ readonly objects: ReadonlyArray<S3Object>; readonly more: boolean }, UpstreamError>
  hasObject(bucket: string, key: string): Effect.Effect<boolean, UpstreamError>
  /** Undefined: it was never set. */
  versioning(bucket: string): Effect.Effect<BucketVersioningStatus | undefined, UpstreamError>
  setVersioning(bucket: string, status: BucketVersioningStatus): Effect.Effect<void, UpstreamError>
  /** An address under {@link S3.endpoint} from which anybody can read the object for so many seconds. Nothing is asked of the object gateway. */
  presign(options: {
    readonly bucket: string
    readonly key: string
    readonly seconds: number
  }): Effect.Effect<{ readonly url: string; readonly expiresAt: DateTime.Utc }>
}

/** The object gateway's S3 side, path style. A request is signed with the key of the user whose things it is about. */
export class S3 extends Context.Service<
  S3,
  {
    /** Where tenants reach it, without a slash at the end. */
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
              patiently
            ),
          listObjects: ({ after, bucket, limit, prefix }) =>
            ask("listObjects", "ListBucketResult", (client, abortSignal) =>
              client.send(
                new ListObjectsV2Command({
                  Bucket: bucket,
                  Prefix: prefix,
                  MaxKeys: limit,
                  // Keys may hold what XML cannot; and the service's own token is the last key, in the clear.
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
              patiently
            ),
          hasObject: (Bucket, Key) =>
            ask("headObject", "nothing", (client, abortSignal) =>
              client.send(new HeadObjectCommand({ Bucket, Key }), { abortSignal })
            ).pipe(
              Effect.as(true),
              patiently,
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
              patiently
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
              // A signature knows whole seconds, and the lifetime begins at its moment.
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

/** Whatever the SDK fails with is ours, with a note of the SDK's on it, or it did not understand an answer. */
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
