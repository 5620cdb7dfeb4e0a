import { Result } from "effect"
import type { Answer, Step } from "../../Wire.ts"
import { byBytes } from "../percent.ts"
import type { ObjectVersion, RgwUser } from "../state.ts"
import { document, refuseS3 } from "./answers.ts"
import { ownerOf } from "./buckets.ts"
import { bucketFor } from "./access.ts"
import type { S3Request } from "./request.ts"
import type { Xml } from "./xml.ts"

const most = 1000

/** How much of a list is wanted. */
export interface Window {
  readonly prefix: string
  readonly delimiter: string
  readonly size: number
}

/** A negative number becomes 0, and one above the maximum becomes the maximum. */
export const sizeAt = (request: S3Request, parameter: string): Step<number> => {
  const text = request.query.get(parameter) ?? ""
  if (text === "") return Result.succeed(most)
  return /^-?\d+$/.test(text)
    ? Result.succeed(Math.min(most, Math.max(0, Number(text))))
    : refuseS3("InvalidArgument", request.bucket)
}

const windowOf = (request: S3Request): Step<Window> =>
  Result.map(sizeAt(request, "max-keys"), (size) => ({
    prefix: request.query.get("prefix") ?? "",
    delimiter: request.query.get("delimiter") ?? "",
    size
  }))

/** The common prefix of a key; undefined for a key without the delimiter. */
const groupOf = ({ delimiter, prefix }: Window, key: string): string | undefined => {
  const at = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}

interface Page<A> {
  readonly entries: ReadonlyArray<A>
  readonly groups: ReadonlyArray<string>
  /** The last entry of the page, when more follow. */
  readonly next: { readonly name: string; readonly entry: A | undefined } | undefined
}

/** Keys and common prefixes count alike, in one order. */
const pageOf = <A extends { readonly key: string }>(found: ReadonlyArray<A>, window: Window): Page<A> => {
  const entries: Array<A> = []
  const groups: Array<string> = []
  let last: Page<A>["next"]
  for (const entry of found) {
    const group = groupOf(window, entry.key)
    if (group !== undefined && group === groups.at(-1)) continue
    if (entries.length + groups.length === window.size) return { entries, groups, next: last }
    if (group === undefined) entries.push(entry)
    else groups.push(group)
    last = { name: group ?? entry.key, entry: group === undefined ? entry : undefined }
  }
  return { entries, groups, next: undefined }
}

/** The entries after a marker; a marker within a common prefix, or equal to it, skips the whole prefix. */
const following = <A extends { readonly key: string }>(
  found: ReadonlyArray<A>,
  window: Window,
  marker: string
): ReadonlyArray<A> => {
  const passed = groupOf(window, marker)
  return found.filter(
    ({ key }) =>
      key.startsWith(window.prefix) &&
      (marker === "" || byBytes(key, marker) > 0) &&
      (passed === undefined || !key.startsWith(passed))
  )
}

const isEncoded = ({ query }: S3Request): boolean => query.get("encoding-type") === "url"

const encodedKey = (request: S3Request, key: string): string => (isEncoded(request) ? encodeURIComponent(key) : key)

/** The slashes of common prefixes are not encoded. */
const encodedGroup = (request: S3Request, group: string): string =>
  isEncoded(request) ? group.split("/").map(encodeURIComponent).join("/") : group

const isoOf = (millis: number): string => new Date(millis).toISOString()

const headOf = (request: S3Request, window: Window, isTruncated: boolean): ReadonlyArray<Xml> => [
  ...(isEncoded(request) ? [["EncodingType", "url"] as const] : []),
  ...(request.tenant === "" ? [] : [["Tenant", request.tenant] as const]),
  ["Name", request.bucket],
  ["Prefix", window.prefix],
  ["MaxKeys", window.size],
  ...(window.delimiter === "" ? [] : [["Delimiter", window.delimiter] as const]),
  ["IsTruncated", isTruncated]
]

const groupsOf = (request: S3Request, groups: ReadonlyArray<string>): ReadonlyArray<Xml> =>
  groups.map((_) => ["CommonPrefixes", [["Prefix", encodedGroup(request, _)]]])

const described = ({ etag, size, written }: ObjectVersion): ReadonlyArray<Xml> => [
  ["LastModified", isoOf(written)],
  ["ETag", `"${etag}"`],
  ["Size", size],
  ["StorageClass", "STANDARD"]
]

const contentsOf = (request: S3Request, version: ObjectVersion, owner: ReadonlyArray<Xml>): Xml => [
  "Contents",
  [["Key", encodedKey(request, version.key)], ...described(version), ...owner, ["Type", "Normal"]]
]

/** The newest version of each object that is not deleted. */
const present = (objects: ReadonlyArray<ObjectVersion>): ReadonlyArray<ObjectVersion> =>
  objects.filter((_, i) => objects[i - 1]?.key !== _.key && !_.is_marker)

/** Versions 1 and 2 of the call; the token of version 2 is the plain name of the page's last entry. */
export const listObjects = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { query } = request
    const { bucket, user } = yield* bucketFor(request, "READ")
    const window = yield* windowOf(request)
    const second = query.get("list-type") === "2"
    const token = query.get("continuation-token")
    const marker = query.get("marker") ?? ""
    const after = second ? (token ?? query.get("start-after") ?? "") : marker
    const page =
      window.size === 0
        ? { entries: [], groups: [], next: undefined }
        : pageOf(following(present(bucket.objects), window, after), window)
    const owner = !second || query.get("fetch-owner") === "true" ? [ownerOf(user)] : []
    const next = page.next?.name
    const tail: ReadonlyArray<Xml> = second
      ? [
          ...(token === null ? [] : [["ContinuationToken", token] as const]),
          ...(next === undefined ? [] : [["NextContinuationToken", next] as const]),
          ["KeyCount", page.entries.length + page.groups.length],
          ...(query.has("start-after") ? [["StartAfter", query.get("start-after") ?? ""] as const] : [])
        ]
      : [["Marker", marker], ...(next === undefined ? [] : [["NextMarker", next] as const])]
    return document([
      "ListBucketResult",
      [
        ...headOf(request, window, next !== undefined),
        ...groupsOf(request, page.groups),
        ...page.entries.map((_) => contentsOf(request, _, owner)),
        ...tail
      ]
    ])
  })

/**
 * The entries after a version of a key. Without a version marker the key itself is included, unless it never had
 * versions.
 */
const behind = (found: ReadonlyArray<ObjectVersion>, key: string, version: string): ReadonlyArray<ObjectVersion> => {
  const at = found.findIndex((_) => _.key === key && _.version_id === version)
  if (at >= 0) return found.slice(at + 1)
  return found.filter((_) => byBytes(_.key, key) > 0 || (version === "" && _.key === key && _.version_id !== "null"))
}

const versionOf = (request: S3Request, version: ObjectVersion, isLatest: boolean, user: RgwUser): Xml => [
  version.is_marker ? "DeleteMarker" : "Version",
  [
    ["Key", encodedKey(request, version.key)],
    ["VersionId", version.version_id],
    ["IsLatest", isLatest],
    ...(version.is_marker ? [["LastModified", isoOf(version.written)] as const] : described(version)),
    ownerOf(user),
    ["Type", "Normal"]
  ]
]

export const listVersions = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { query } = request
    const { bucket, user } = yield* bucketFor(request, "READ")
    const window = yield* windowOf(request)
    const [key, version] = [query.get("key-marker") ?? "", query.get("version-id-marker") ?? ""]
    const rest = key === "" ? bucket.objects : behind(bucket.objects, key, version)
    const passed = groupOf(window, key)
    const found = rest.filter(
      (_) => _.key.startsWith(window.prefix) && (passed === undefined || !_.key.startsWith(passed))
    )
    const page = window.size === 0 ? { entries: [], groups: [], next: undefined } : pageOf(found, window)
    const newest = new Set(bucket.objects.filter((_, i) => bucket.objects[i - 1]?.key !== _.key))
    return document([
      "ListVersionsResult",
      [
        ...headOf(request, window, page.next !== undefined),
        ...groupsOf(request, page.groups),
        ["KeyMarker", key],
        ["VersionIdMarker", version],
        ...(page.next === undefined
          ? []
          : [
              ["NextKeyMarker", page.next.name] as const,
              ["NextVersionIdMarker", page.next.entry?.version_id ?? "null"] as const
            ]),
        ...page.entries.map((_) => versionOf(request, _, newest.has(_), user))
      ]
    ])
  })
