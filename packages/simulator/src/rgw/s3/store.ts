import { createHash, randomBytes } from "node:crypto"
import { byBytes } from "../percent.ts"
import type { Bucket, ObjectVersion, RgwState, Usage } from "../state.ts"

const block = 4096

/** Storage is allocated in blocks of 4 KiB. */
export const inBlocks = (size: number): number => Math.ceil(size / block) * block

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._"

/** 31 characters of RGW's alphabet. */
const newVersionId = (): string => Array.from(randomBytes(31), (_) => letters[_ % letters.length]).join("")

export const md5 = (data: string | Uint8Array): string => createHash("md5").update(data).digest("hex")

const count = (bucket: Bucket, { num_objects, size, size_actual }: Usage, sign: 1 | -1): void => {
  bucket.size += sign * size
  bucket.size_actual += sign * size_actual
  bucket.num_objects += sign * num_objects
}

/** A version's share of the index statistics; markers have none. */
const weightOf = ({ is_marker, size }: ObjectVersion): Usage =>
  is_marker ? { size: 0, size_actual: 0, num_objects: 0 } : { size, size_actual: inBlocks(size), num_objects: 1 }

export const hold = (bucket: Bucket, usage: Usage): void => {
  if (!bucket.held.includes("rgw.main")) bucket.held = [...bucket.held, "rgw.main"]
  count(bucket, usage, 1)
}

export const release = (bucket: Bucket, usage: Usage): void => count(bucket, usage, -1)

export const versionsOf = ({ objects }: Bucket, key: string): ReadonlyArray<ObjectVersion> =>
  objects.filter((_) => _.key === key)

/** The object of a read without a version: none when the newest version is a delete marker. */
export const latest = (bucket: Bucket, key: string): ObjectVersion | undefined => {
  const newest = bucket.objects.find((_) => _.key === key)
  return newest?.is_marker === true ? undefined : newest
}

/** Removes one version, if it exists. */
const withdraw = (bucket: Bucket, key: string, versionId: string): ObjectVersion | undefined => {
  const found = bucket.objects.find((_) => _.key === key && _.version_id === versionId)
  if (found === undefined) return undefined
  bucket.objects = bucket.objects.filter((_) => _ !== found)
  release(bucket, weightOf(found))
  return found
}

/** The id of the next version: a new one only in a versioned bucket, otherwise `null`. */
export const nextVersionId = ({ versioning }: Bucket): string => (versioning === "enabled" ? newVersionId() : "null")

/** Adds the newest version. A key has at most one version with the id `null`. */
export const deposit = (bucket: Bucket, version: ObjectVersion): void => {
  if (version.version_id === "null") withdraw(bucket, version.key, "null")
  const at = bucket.objects.findIndex((_) => byBytes(_.key, version.key) >= 0)
  bucket.objects = bucket.objects.toSpliced(at < 0 ? bucket.objects.length : at, 0, version)
  hold(bucket, weightOf(version))
}

/** The result of a removal. */
export interface Removed {
  /** Null when the answer shows no version. */
  readonly version_id: string | null
  readonly is_marker: boolean
}

/**
 * Removes an object, or one of its versions. In a bucket that has or had versions, a removal without a version
 * adds a delete marker, even if the object does not exist.
 */
export const remove = (bucket: Bucket, key: string, versionId: string | null, now: number): Removed => {
  if (versionId !== null && versionId !== "") {
    const found = withdraw(bucket, key, versionId)
    const versioned = found !== undefined && bucket.versioning !== "off"
    // The answer does not identify a marker with the id `null` as a marker.
    const is_marker = versioned && found.is_marker && found.version_id !== "null"
    return { version_id: versioned ? found.version_id : null, is_marker }
  }
  if (bucket.versioning === "off") {
    withdraw(bucket, key, "null")
    return { version_id: null, is_marker: false }
  }
  const version_id = nextVersionId(bucket)
  deposit(bucket, {
    key,
    version_id,
    is_marker: true,
    written: now,
    etag: "",
    size: 0,
    body: "",
    headers: {}
  })
  return { version_id, is_marker: true }
}

export const removeBucket = (rgw: RgwState, { bucket, tenant }: Bucket): void => {
  delete rgw.buckets[`${tenant}/${bucket}`]
}
