import type { DeleteMarkerEntry, ObjectVersion } from "@aws-sdk/client-s3"
import { DateTime, Effect, Order } from "effect"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Ask, List } from "./ask.ts"
import { decodedKey } from "./paths.ts"

/** A version of an object, or a delete marker. */
export interface S3Version {
  readonly key: string
  readonly versionId: string
  readonly latest: boolean
  readonly modified: DateTime.Utc
  /** Undefined for a delete marker. */
  readonly content:
    | { readonly sizeBytes: number; readonly etag: string; readonly storageClass: string | undefined }
    | undefined
}

/** The last version of a page, behind which the next one begins. */
interface VersionMarker {
  readonly key: string
  readonly versionId: string
}

export interface VersionOperations {
  /** In the byte order of the keys, newest first within a key. `next`: the last version, when further ones
   * follow. A page of long keys has fewer than `limit`. */
  listVersions(options: {
    readonly bucket: string
    readonly prefix: string
    readonly limit: number
    /** The page starts after this version. */
    readonly after: VersionMarker | undefined
  }): Effect.Effect<
    { readonly versions: ReadonlyArray<S3Version>; readonly next: VersionMarker | undefined },
    UpstreamError
  >
  /** Without a version the object, which gets a delete marker in a bucket that keeps versions. Repeatable. */
  removeObject(options: {
    readonly bucket: string
    readonly key: string
    readonly versionId: string | undefined
  }): Effect.Effect<{ readonly versionId: string | undefined; readonly isMarker: boolean }, UpstreamError>
}

/** The operations on the versions of a bucket's objects. */
export const versionsOf = (ask: Ask, list: List): VersionOperations => ({
  listVersions: ({ after, bucket, limit, prefix }) =>
    list("list object versions", limit, (MaxKeys) =>
      Effect.map(
        ask("list object versions", "ListVersionsResult", (sdk, client, abortSignal) =>
          client.send(
            new sdk.ListObjectVersionsCommand({
              Bucket: bucket,
              Prefix: prefix,
              MaxKeys,
              EncodingType: "url",
              ...(after === undefined ? {} : { KeyMarker: after.key, VersionIdMarker: after.versionId })
            }),
            { abortSignal }
          )
        ),
        ({ DeleteMarkers = [], IsTruncated, NextVersionIdMarker, Versions = [] }) => {
          const versions = inOrder([
            ...Versions.flatMap((_) => versionOf(_, contentOf(_))),
            ...DeleteMarkers.flatMap((_) => versionOf(_, undefined))
          ])
          const last = versions.at(-1)
          // The key of the service's own marker is not encoded, and breaks the XML when it holds a control character.
          const next = last && { key: last.key, versionId: NextVersionIdMarker ?? last.versionId }
          return { versions, next: IsTruncated === true ? next : undefined }
        }
      )
    ),
  removeObject: ({ bucket, key, versionId }) =>
    Effect.map(
      ask("delete object", "nothing", (sdk, client, abortSignal) =>
        client.send(
          new sdk.DeleteObjectCommand({
            Bucket: bucket,
            Key: key,
            ...(versionId === undefined ? {} : { VersionId: versionId })
          }),
          { abortSignal }
        )
      ),
      ({ DeleteMarker, VersionId }) => ({ versionId: VersionId, isMarker: DeleteMarker === true })
    )
})

const contentOf = ({ ETag, Size, StorageClass }: ObjectVersion) => ({
  sizeBytes: Size ?? 0,
  etag: (ETag ?? "").replaceAll('"', ""),
  storageClass: StorageClass
})

const versionOf = (
  { IsLatest, Key, LastModified, VersionId }: DeleteMarkerEntry,
  content: S3Version["content"]
): ReadonlyArray<S3Version> =>
  Key === undefined || LastModified === undefined
    ? []
    : [
        {
          key: decodedKey(Key),
          versionId: VersionId ?? "null",
          latest: IsLatest === true,
          modified: DateTime.fromDateUnsafe(LastModified),
          content
        }
      ]

/**
 * The SDK separates versions and markers, which the service lists in one order. The bytes of a key are made once, and
 * not for every comparison.
 */
const inOrder = (versions: ReadonlyArray<S3Version>): ReadonlyArray<S3Version> =>
  versions
    .map((version) => ({ version, bytes: Buffer.from(version.key) }))
    .toSorted(byPlace)
    .map((_) => _.version)

interface Sorted {
  readonly version: S3Version
  readonly bytes: Buffer
}

const byPlace: Order.Order<Sorted> = Order.combineAll([
  Order.make<Sorted>((a, b) => {
    const order = Buffer.compare(a.bytes, b.bytes)
    return order < 0 ? -1 : order > 0 ? 1 : 0
  }),
  Order.mapInput(Order.Boolean, (_: Sorted) => !_.version.latest),
  Order.mapInput(Order.flip(DateTime.Order), (_: Sorted) => _.version.modified)
])
