import { Option, Result } from "effect"
import { type JsonObject, objectAt, stringAt } from "../../../Json.ts"
import { within } from "../../../rgw/s3/quota.ts"
import { deposit, md5, nextVersionId, remove } from "../../../rgw/s3/store.ts"
import type { Bucket, ObjectVersion, RgwState, RgwUser } from "../../../rgw/state.ts"
import { secretText, type Pass } from "../writes.ts"

/**
 * The folder of one server in a Barman archive, opened with the key of a Secret: base backups below `base/`, the
 * write-ahead log below `wals/`. The files are objects of the simulated object gateway and count against the
 * quota of the key's user.
 */
export interface Archive {
  readonly rgw: RgwState
  readonly user: RgwUser
  readonly bucket: Bucket
  /** Ends with a slash. */
  readonly folder: string
  readonly gzip: { readonly data: boolean; readonly wal: boolean }
}

const refusal = (code: string, operation: string): string =>
  `An error occurred (${code}) when calling the ${operation} operation: ${code === "403" ? "Forbidden" : "Unknown"}`

/** The value of a Secret's key; the error is the operator's message. */
const keyOf = (pass: Pass, namespace: string, reference: JsonObject): Result.Result<string, string> => {
  const name = stringAt(reference, "name") ?? ""
  return Option.match(secretText(pass.state, namespace, reference), {
    onNone: () => Result.fail(`while getting secret ${name}: secrets "${name}" not found`),
    onSome: (_) => Result.succeed(_)
  })
}

/** The user of an access key, unless suspended. */
const userOf = (rgw: RgwState, access: string, secret: string): RgwUser | undefined =>
  Object.values(rgw.users).find(
    (user) => !user.suspended && user.keys.some((_) => _.access_key === access && _.secret_key === secret)
  )

export const serverNameOf = (store: JsonObject, otherwise: string): string => stringAt(store, "serverName") || otherwise

/**
 * Opens a server's folder.
 * @param store the `barmanObjectStore` of a resource in the namespace
 * @returns the error message when it cannot be opened
 */
export const open = (
  pass: Pass,
  namespace: string,
  store: JsonObject,
  serverName: string
): Result.Result<Archive, string> =>
  Result.gen(function* () {
    const { rgw } = pass.world
    const credentials = objectAt(store, "s3Credentials")
    const access = yield* keyOf(pass, namespace, objectAt(credentials, "accessKeyId"))
    const secret = yield* keyOf(pass, namespace, objectAt(credentials, "secretAccessKey"))
    const user = userOf(rgw, access, secret)
    if (user === undefined)
      return yield* Result.fail(`Can't connect to cloud provider: ${refusal("403", "HeadBucket")}`)
    const [, name = "", path = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(stringAt(store, "destinationPath") ?? "") ?? []
    const key = `${user.tenant}/${name}`
    const bucket = Object.hasOwn(rgw.buckets, key) ? rgw.buckets[key] : undefined
    if (bucket === undefined) return yield* Result.fail(`Bucket ${name} does not exist`)
    if (bucket.owner !== user.uid) {
      return yield* Result.fail(`Can't connect to cloud provider: ${refusal("403", "HeadBucket")}`)
    }
    const prefix = path.replace(/\/+$/, "")
    const isGzip = (_: string) => objectAt(store, _)["compression"] === "gzip"
    return {
      rgw,
      user,
      bucket,
      folder: `${prefix === "" ? "" : `${prefix}/`}${serverName}/`,
      gzip: { data: isGzip("data"), wal: isGzip("wal") }
    }
  })

const put = (archive: Archive, name: string, text: string, now: number): Result.Result<void, string> => {
  const { bucket, folder, rgw, user } = archive
  const body = Buffer.from(text)
  const refused = Result.isFailure(within(rgw, user, bucket, body.length))
  if (refused) return Result.fail(refusal("QuotaExceeded", "PutObject"))
  deposit(bucket, {
    key: `${folder}${name}`,
    version_id: nextVersionId(bucket),
    is_marker: false,
    written: now,
    etag: md5(body),
    size: body.length,
    body: body.toString("base64"),
    headers: { "content-type": "binary/octet-stream" }
  })
  return Result.void
}

/** The files of the folder by relative name, as a client without versions sees them. */
const contentOf = ({ bucket, folder }: Archive): ReadonlyMap<string, ObjectVersion> => {
  const newest = new Map<string, ObjectVersion>()
  for (const version of bucket.objects) {
    if (!version.key.startsWith(folder)) continue
    const name = version.key.slice(folder.length)
    // Of one key, the newest version comes first.
    if (!newest.has(name)) newest.set(name, version)
  }
  return new Map([...newest].filter(([, _]) => !_.is_marker))
}

export const isEmpty = (archive: Archive): boolean => contentOf(archive).size === 0

const hex = (number: number): string => number.toString(16).toUpperCase().padStart(8, "0")

/** The name of a segment of the log. */
export const walName = (timeline: number, segment: number): string =>
  `${hex(timeline)}${hex(Math.floor(segment / 256))}${hex(segment % 256)}`

/** Uploads a WAL segment to the archive. */
export const putWal = (archive: Archive, name: string, now: number): Result.Result<void, string> =>
  put(archive, `wals/${name.slice(0, 16)}/${name}${archive.gzip.wal ? ".gz" : ""}`, `segment ${name}\n`, now)

/** A base backup as in its `backup.info`. Times in clock milliseconds. */
export interface BaseBackup {
  readonly id: string
  readonly began: number
  readonly ended: number
  readonly beginWal: string
  readonly endWal: string
  /** The size of the volume, in bytes. */
  readonly size: number
  readonly systemId: string
  readonly major: number
}

const infoOf = (_: BaseBackup): string =>
  [
    `backup_id=${_.id}`,
    `begin_time=${new Date(_.began).toISOString()}`,
    `begin_wal=${_.beginWal}`,
    `end_time=${new Date(_.ended).toISOString()}`,
    `end_wal=${_.endWal}`,
    "mode=concurrent",
    `size=${_.size}`,
    "status=DONE",
    `systemid=${_.systemId}`,
    `version=${_.major}0000`,
    ""
  ].join("\n")

/** Writes the data first and `backup.info` last, which makes the backup complete. */
export const putBackup = (archive: Archive, backup: BaseBackup, now: number): Result.Result<void, string> => {
  const data = `base/${backup.id}/data.tar${archive.gzip.data ? ".gz" : ""}`
  return Result.andThen(put(archive, data, "data\n".repeat(200), now), () =>
    put(archive, `base/${backup.id}/backup.info`, infoOf(backup), now)
  )
}

const readBackup = ({ body }: ObjectVersion): ReadonlyArray<BaseBackup> => {
  const text = Buffer.from(body, "base64").toString()
  const lines = new Map(text.split("\n").map((_) => [_.slice(0, _.indexOf("=")), _.slice(_.indexOf("=") + 1)] as const))
  const at = (name: string) => lines.get(name) ?? ""
  if (at("status") !== "DONE") return []
  return [
    {
      id: at("backup_id"),
      began: Date.parse(at("begin_time")),
      ended: Date.parse(at("end_time")),
      beginWal: at("begin_wal"),
      endWal: at("end_wal"),
      size: Number(at("size")),
      systemId: at("systemid"),
      major: Number(at("version")) / 10_000
    }
  ]
}

/** The complete base backups, oldest first. */
export const backupsIn = (archive: Archive): ReadonlyArray<BaseBackup> =>
  [...contentOf(archive)]
    .flatMap(([name, version]) => (/^base\/[^/]+\/backup\.info$/.test(name) ? readBackup(version) : []))
    .toSorted((a, b) => a.ended - b.ended)

const walOf = (name: string): string | undefined => /^wals\/[0-9A-F]{16}\/([0-9A-F]{24})(\.gz)?$/.exec(name)?.[1]

/** The end of the log in clock milliseconds; 0 without a log. */
export const logReaches = (archive: Archive): number =>
  [...contentOf(archive)].reduce(
    (last, [name, { written }]) => (walOf(name) === undefined ? last : Math.max(last, written)),
    0
  )

/**
 * Prunes what a recovery to any time after the given one does not need: base backups before the last one at that
 * time, and the log before the oldest kept backup.
 */
export const retain = (archive: Archive, since: number, now: number): void => {
  const all = backupsIn(archive)
  const needed = all.findLast((_) => _.ended <= since)
  const kept = needed === undefined ? all : all.slice(all.indexOf(needed))
  const ids = new Set(all.filter((_) => !kept.includes(_)).map((_) => _.id))
  const firstWal = kept[0]?.beginWal ?? ""
  if (ids.size === 0) return
  for (const name of contentOf(archive).keys()) {
    const id = /^base\/([^/]+)\//.exec(name)?.[1]
    const wal = walOf(name)
    const obsolete = (id !== undefined && ids.has(id)) || (wal !== undefined && wal.slice(8) < firstWal.slice(8))
    if (obsolete) remove(archive.bucket, `${archive.folder}${name}`, null, now)
  }
}
