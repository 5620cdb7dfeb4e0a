import type { BucketVersioningStatus, ListObjectsV2CommandOutput, S3Client } from "@aws-sdk/client-s3"
import { Config, Context, DateTime, Duration, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { pagesThatFit } from "../paging.ts"
import { inTime, retryTransient } from "../System.ts"
import { fairSemaphore } from "../limits/FairSemaphore.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"
import { rgwRegion } from "./admin.ts"
import type { Ask, List, Sdk } from "./ask.ts"
import { carrierOf, type Expected } from "./carrier.ts"
import { type CorsOperations, corsOf } from "./cors.ts"
import type { S3Key } from "./keys.ts"
import { decodedKey, objectPath, queryOf, sendablePath } from "./paths.ts"
import { signatureOf } from "./signature.ts"
import { uploadUrl } from "./upload.ts"
import { type VersionOperations, versionsOf } from "./versions.ts"

export interface S3Object {
  readonly key: string
  readonly sizeBytes: number
  readonly modified: DateTime.Utc
  /** Without quotation marks. */
  readonly etag: string
  readonly storageClass: string | undefined
}

export interface S3Page {
  readonly objects: ReadonlyArray<S3Object>
  readonly commonPrefixes: ReadonlyArray<string>
  readonly next: string | undefined
}

/**
 * The gateway's operations in a tenant's buckets, with the tenant's own key.
 * Reads are retried after a transient failure.
 */
export interface S3Operations extends CorsOperations, VersionOperations {
  /** A bucket that the user already has is no error. */
  createBucket(name: string): Effect.Effect<void, UpstreamError>
  deleteBucket(name: string): Effect.Effect<void, UpstreamError>
  /** Whether there are unfinished multipart uploads. Some releases abort them when the bucket is deleted. */
  hasUploads(bucket: string): Effect.Effect<boolean, UpstreamError>
  /**
   * In the byte order of the keys. With a delimiter, keys that have it after
   * the prefix are represented by their common prefixes, which count as keys.
   * `next`: the last key or common prefix, when more follow. A page of long keys has fewer than `limit`.
   */
  listObjects(options: {
    readonly bucket: string
    readonly prefix: string
    readonly delimiter: string | undefined
    readonly limit: number
    /** The page starts after this key or common prefix. */
    readonly after: string | undefined
  }): Effect.Effect<S3Page, UpstreamError>
  /** Whether the object exists, or that version of it, which is no delete marker. */
  hasObject(bucket: string, key: string, versionId?: string): Effect.Effect<boolean, UpstreamError>
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
    /** Undefined for the newest version. */
    readonly versionId?: string | undefined
  }): Effect.Effect<{ readonly url: string; readonly expiresAt: DateTime.Utc }>
  /**
   * A URL under {@link S3.endpoint} with which anyone can upload the object for
   * this many seconds, in a request with exactly these headers (lower case). It
   * makes no request to the object gateway.
   */
  presignUpload(options: {
    readonly bucket: string
    readonly key: string
    readonly seconds: number
    readonly headers: Readonly<Record<string, string>>
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
      const lists = yield* fairSemaphore(listsAtOnce)

      const publicPath = (bucket: string, key: string) =>
        objectPath(baseOf(publicUrl).slice(publicUrl.origin.length), bucket, key)

      const as = (key: S3Key): S3Operations => {
        const ask: Ask = Effect.fnUntraced(
          function* <A>(
            call: string,
            expected: Expected,
            of: (sdk: Sdk, client: S3Client, signal: AbortSignal) => Promise<A>
          ) {
            const sdk = yield* loadedSdk
            const services = yield* Effect.context<never>()
            const signingDate = DateTime.toDateUtc(yield* DateTime.now)
            const carry = carrierOf({ http, services, origin: url.origin, call, expected })
            const client = sdk.clientOf(base, { key, region, signingDate }, carry)
            return yield* Effect.tryPromise({ try: (signal) => of(sdk, client, signal), catch: failureOf(call) })
          },
          (effect, call) => inTime("rgw", call)(effect)
        )

        const list: List = (call, limit, read) =>
          pagesThatFit(
            limit,
            longestList
          )((fewer) => retryTransient(read(fewer))).pipe(lists.withPermit(key.accessKey, Effect.fail(noTurn(call))))

        return {
          ...corsOf(ask),
          ...versionsOf(ask, list),
          createBucket: (Bucket) =>
            Effect.asVoid(
              ask("create bucket", "nothing", (sdk, client, abortSignal) =>
                client.send(new sdk.CreateBucketCommand({ Bucket }), { abortSignal })
              )
            ),
          deleteBucket: (Bucket) =>
            Effect.asVoid(
              ask("delete bucket", "nothing", (sdk, client, abortSignal) =>
                client.send(new sdk.DeleteBucketCommand({ Bucket }), { abortSignal })
              )
            ),
          hasUploads: (Bucket) =>
            ask("list uploads", "ListMultipartUploadsResult", (sdk, client, abortSignal) =>
              client.send(new sdk.ListMultipartUploadsCommand({ Bucket, MaxUploads: 1, EncodingType: "url" }), {
                abortSignal
              })
            ).pipe(
              Effect.map((_) => (_.Uploads ?? []).length > 0),
              retryTransient
            ),
          listObjects: ({ after, bucket, delimiter, limit, prefix }) =>
            list("list objects", limit, (MaxKeys) =>
              ask("list objects", "ListBucketResult", (sdk, client, abortSignal) =>
                client.send(
                  new sdk.ListObjectsV2Command({
                    Bucket: bucket,
                    Prefix: prefix,
                    MaxKeys,
                    // Keys may contain characters that XML cannot. The service's own continuation token would be the last
                    // key in clear text.
                    EncodingType: "url",
                    ...(delimiter === undefined ? {} : { Delimiter: delimiter }),
                    ...(after === undefined ? {} : { StartAfter: after })
                  }),
                  { abortSignal }
                )
              ).pipe(Effect.map(pageOf))
            ),
          hasObject: (Bucket, Key, VersionId) =>
            ask("head object", "nothing", (sdk, client, abortSignal) =>
              client.send(
                new sdk.HeadObjectCommand({ Bucket, Key, ...(VersionId === undefined ? {} : { VersionId }) }),
                {
                  abortSignal
                }
              )
            ).pipe(
              Effect.as(true),
              retryTransient,
              Effect.catchIf(
                // 405: the version is a delete marker.
                ({ status }) => status === 404 || (VersionId !== undefined && status === 405),
                () => Effect.succeed(false)
              )
            ),
          versioning: (Bucket) =>
            ask("get bucket versioning", "VersioningConfiguration", (sdk, client, abortSignal) =>
              client.send(new sdk.GetBucketVersioningCommand({ Bucket }), { abortSignal })
            ).pipe(
              Effect.map((_) => _.Status),
              retryTransient
            ),
          setVersioning: (Bucket, Status) =>
            Effect.asVoid(
              ask("put bucket versioning", "nothing", (sdk, client, abortSignal) =>
                client.send(new sdk.PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }), {
                  abortSignal
                })
              )
            ),
          presign: ({ bucket, key: object, seconds, versionId }) =>
            Effect.gen(function* () {
              const now = yield* signingTime
              const path = publicPath(bucket, object)
              const sdk = yield* loadedSdk
              const signed = yield* Effect.promise(() =>
                new sdk.S3RequestPresigner(signatureOf({ key, region })).presign(
                  {
                    method: "GET",
                    protocol: publicUrl.protocol,
                    hostname: publicUrl.hostname,
                    path,
                    query: versionId === undefined ? {} : { versionId },
                    headers: { host: publicUrl.host }
                  },
                  { expiresIn: seconds, signingDate: DateTime.toDateUtc(now) }
                )
              )
              return {
                url: `${publicUrl.origin}${sendablePath(path)}?${queryOf(signed.query ?? {})}`,
                expiresAt: DateTime.add(now, { seconds })
              }
            }),
          presignUpload: ({ bucket, headers, key: object, seconds }) =>
            Effect.gen(function* () {
              const now = yield* signingTime
              const signing = { key, region, signingDate: DateTime.toDateUtc(now) }
              const path = publicPath(bucket, object)
              const url = yield* Effect.promise(() => uploadUrl({ origin: publicUrl, path, headers, seconds, signing }))
              return { url, expiresAt: DateTime.add(now, { seconds }) }
            })
        }
      }

      return S3.of({ endpoint: baseOf(publicUrl), as })
    })
  )
}

/**
 * The most bytes of a list, which take some 20 milliseconds to parse while all other calls wait. Keys have up to a
 * kilobyte, which the encoding triples.
 */
const longestList = 512 * 1024

/** The lists of a tenant's key and of all of them that are read and parsed at once. */
const listsAtOnce = { ofOne: 2, inAll: 8, longestWait: Duration.seconds(10) }

const noTurn = (call: string) =>
  new UpstreamError({
    upstream: "rgw",
    call,
    status: null,
    detail: `other lists were under way for ${Duration.format(listsAtOnce.longestWait)}`
  })

/** Loaded once: later imports answer the same module. */
const loadedSdk: Effect.Effect<Sdk> = Effect.promise(() => import("./sdk.ts"))

const pageOf = ({ CommonPrefixes = [], Contents = [], IsTruncated }: ListObjectsV2CommandOutput): S3Page => {
  const objects = Contents.flatMap(({ ETag, Key, LastModified, Size, StorageClass }) =>
    Key === undefined || LastModified === undefined
      ? []
      : [
          {
            key: decodedKey(Key),
            sizeBytes: Size ?? 0,
            modified: DateTime.fromDateUnsafe(LastModified),
            etag: (ETag ?? "").replaceAll('"', ""),
            storageClass: StorageClass
          }
        ]
  )
  const commonPrefixes = CommonPrefixes.flatMap(({ Prefix }) => (Prefix === undefined ? [] : [decodedKey(Prefix)]))
  return {
    objects,
    commonPrefixes,
    next: IsTruncated === true ? lastOf(objects.at(-1)?.key, commonPrefixes.at(-1)) : undefined
  }
}

/** The later of two keys, by bytes. */
const lastOf = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0) ? b : a

/** A signature has a resolution of one second, and the lifetime of a URL begins at its time. */
const signingTime = Effect.map(DateTime.now, DateTime.startOf("second"))

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
          detail: cause.detail,
          ...(cause.code === undefined ? {} : { code: cause.code })
        })
      : new UpstreamError({
          upstream: "rgw",
          call,
          status: null,
          detail: "answered with a body that is not understood"
        })
