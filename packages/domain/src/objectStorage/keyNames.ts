import { DateTime, Option } from "effect"

/** The creation time to the millisecond, and eight random hex digits: keys sort by creation time. */
const suffixPattern = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})-[0-9a-f]{8}$/

/** The access key of a new pair: `tenant$<project_id>-20260131120000000-0f1e2d3c`. */
export const accessKeyOf = (uid: string, at: DateTime.Utc, random: string): string =>
  `${uid}-${DateTime.formatIso(at).replaceAll(/[^\d]/g, "")}-${random}`

/** When the key was made; undefined for one that was not made by {@link accessKeyOf}. */
export const madeAt = (uid: string, accessKey: string): DateTime.Utc | undefined => {
  const prefix = `${uid}-`
  const [, year, month, day, hour, minute, second, millis] =
    (accessKey.startsWith(prefix) ? suffixPattern.exec(accessKey.slice(prefix.length)) : undefined) ?? []
  return millis === undefined
    ? undefined
    : Option.getOrUndefined(
        Option.map(DateTime.make(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`), DateTime.toUtc)
      )
}

/** The tenant's own keys: all except the archive key of its databases. */
export const ownKeys = <Key extends { readonly accessKey: string }>(keys: ReadonlyArray<Key>): ReadonlyArray<Key> =>
  keys.filter((_) => !isArchiveKey(_.accessKey))

/** The newest key that was made here: callers get this one. Its name holds the creation time, so no table stores it. */
export const currentOf = <Key extends { readonly accessKey: string }>(
  uid: string,
  keys: ReadonlyArray<Key>
): Key | undefined =>
  keys
    .filter((_) => madeAt(uid, _.accessKey) !== undefined)
    .toSorted((a, b) => (a.accessKey < b.accessKey ? -1 : 1))
    .at(-1)

/** The name prefix of the bucket in which a tenant's managed databases keep their backups. */
export const archivePrefix = (projectId: string): string => `db-archive-${projectId}-`

const suffix = "-db-archive"

/**
 * The access key with which a tenant's databases write their archive.
 *
 * @param uid the tenant's S3 user
 */
export const archiveKeyOf = (uid: string): string => `${uid}${suffix}`

/**
 * Whether a key is the databases' archive key. The tenant's own keys exclude
 * it: it is never listed, returned or deleted among them.
 */
export const isArchiveKey = (accessKey: string): boolean => accessKey.endsWith(suffix)

/** In bytes of UTF-8; the limit of S3. */
const longestKey = 1024

/** Whether an object can have this key. The object gateway rejects NUL. */
export const isPossibleKey = (key: string): boolean =>
  key !== "" && !key.includes("\0") && Buffer.byteLength(key) <= longestKey
