import { certificatesIn } from "@portico/upstream/certificates"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import type { S3Key } from "@portico/upstream/rgw/keys"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { baseOf } from "@portico/upstream/webAddress"
import { Config, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { badGateway } from "../badGateway.ts"
import { labelsOf } from "../kubernetes/ownership.ts"
import { archiveKeyOf, archivePrefix } from "../objectStorage/keyNames.ts"
import { makeBucket } from "../objectStorage/buckets.ts"
import { stringAt } from "../kubernetes/fields.ts"

/**
 * Where databases write their archives: `DATABASE_ARCHIVE_ENDPOINT`, the object gateway's address
 * as seen from the Kubernetes cluster; by default `RGW_URL`. Its certificate may be signed by a
 * private authority of the platform.
 */
export class Archives extends Context.Service<
  Archives,
  {
    /** Without a trailing slash. */
    readonly endpoint: string
    /** PEM of `DATABASE_ARCHIVE_CA_FILE`. */
    readonly ca: string | undefined
  }
>()("portico/domain/databases/Archives") {
  static readonly layer = Layer.effect(
    Archives,
    Effect.gen(function* () {
      const own = yield* Config.option(Config.schema(ArchiveEndpoint, "DATABASE_ARCHIVE_ENDPOINT"))
      const url = Option.isSome(own) ? own.value : yield* Config.schema(ArchiveEndpoint, "RGW_URL")
      const ca = yield* Config.option(
        Config.String("DATABASE_ARCHIVE_CA_FILE").pipe(Config.mapEffect(certificatesIn("DATABASE_ARCHIVE_CA_FILE")))
      )
      return Archives.of({ endpoint: baseOf(new URL(url)), ca: Option.getOrUndefined(ca) })
    })
  )
}

/**
 * An address that means the same to everything that reads it on its way: CloudNativePG puts it, without quotes, into the
 * `restore_command` of PostgreSQL, which replaces `%` and hands the command to a shell (operator 1.27.1,
 * `getRestoreWalConfig`).
 */
export const ArchiveEndpoint = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      /^https?:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?(?:\/[\w.~-]+)*\/*$/i.test(text) && URL.canParse(text),
    { expected: "http:// or https://, a host, and at most a port and a path of letters, digits, '.', '_', '~' and '-'" }
  )
)

/** The bucket in which a tenant's databases keep their backups. */
export interface Archive {
  /** The object gateway's address as seen from the cluster. */
  readonly endpoint: string
  readonly bucket: string
  /** PEM of the authority that signed its certificate; undefined for a publicly trusted one. */
  readonly ca: string | undefined
  /** The key that signs its requests. */
  readonly key: S3Key
}

/** The `Secret` with the key of the archive; all databases of the tenant share it. */
const secret = "portico-archive"
const caKey = "ca.crt"

/**
 * The name of the tenant's archive bucket. All databases of a tenant share one bucket, and each
 * life of a database has its own folder in it. Bucket names are unique across all tenants of the
 * platform. Anyone who knows a project's id could take a name that derives from the id alone. The
 * name therefore ends in random characters, and the bucket is found by its prefix.
 */
const bucketOf = Effect.fnUntraced(function* (projectId: string) {
  const beginning = archivePrefix(projectId)
  const buckets = yield* Effect.mapError((yield* Rgw).listBuckets(projectId), badGateway)
  const found = buckets
    .map((_) => _.name)
    .toSorted()
    .find((_) => _.startsWith(beginning))
  return found ?? `${beginning}${randomBytes(4).toString("hex")}`
})

/**
 * Creates the tenant's archive, or finds it: its bucket, which counts against the tenant's bucket
 * quota like any other, and an S3 key of its own. Rotating or deleting the tenant's other keys
 * therefore does not stop the backups. Repeatable: the key has a fixed name and is found again when
 * the response to its creation was lost.
 *
 * The bucket comes first, so a tenant without room for it is refused before anything is created.
 *
 * Errors: those of a new bucket (409, 422, 502, 503).
 */
export const archiveOf = Effect.fn("databases.archiveOf")(function* (projectId: string) {
  const bucket = yield* bucketOf(projectId)
  yield* makeBucket(projectId, bucket)
  const key = yield* Effect.mapError(ownKey(projectId), badGateway)
  return { ...(yield* Archives), bucket, key } satisfies Archive
})

/** The bucket with a database's backups; undefined for a database without backups. */
export const bucketIn = (cluster: KubernetesObject): string | undefined =>
  /^s3:\/\/([^/]+)\//.exec(stringAt(cluster, "spec", "backup", "barmanObjectStore", "destinationPath") ?? "")?.[1]

/** Gives the archive's key to the databases of the namespace: creates the `Secret`, or repairs a changed one. */
export const handKey = Effect.fnUntraced(function* (
  { namespace, projectId }: { readonly projectId: string; readonly namespace: string },
  { ca, key }: Pick<Archive, "ca" | "key">
) {
  yield* (yield* Kubernetes).apply(
    kinds.secret,
    { namespace, name: secret },
    {
      labels: labelsOf(projectId),
      fields: {
        type: "Opaque",
        data: {
          ACCESS_KEY_ID: base64(key.accessKey),
          ACCESS_SECRET_KEY: base64(Redacted.value(key.secretKey)),
          ...(ca === undefined ? {} : { [caKey]: base64(ca) })
        }
      }
    }
  )
})

/** Looks the key up first: creating a key whose name exists would replace its secret while the databases use it. */
const ownKey = Effect.fnUntraced(function* (projectId: string) {
  const rgw = yield* Rgw
  return (yield* keyOf(projectId)) ?? (yield* rgw.createKey(projectId, archiveKeyOf(rgw.uid(projectId))))
})

/** The key of the tenant's archive; undefined for a tenant without one. */
export const keyOf = Effect.fnUntraced(function* (projectId: string) {
  const rgw = yield* Rgw
  const name = archiveKeyOf(rgw.uid(projectId))
  return (yield* rgw.listKeys(projectId))?.find((_) => _.accessKey === name)
})

/** `barmanObjectStore` of CloudNativePG: the archive, and the folder in it. */
export const objectStore = ({ bucket, ca, endpoint }: Omit<Archive, "key">, serverName: string) => ({
  destinationPath: `s3://${bucket}/`,
  endpointURL: endpoint,
  ...(ca === undefined ? {} : { endpointCA: { name: secret, key: caKey } }),
  serverName,
  s3Credentials: {
    accessKeyId: { name: secret, key: "ACCESS_KEY_ID" },
    secretAccessKey: { name: secret, key: "ACCESS_SECRET_KEY" }
  }
})

const base64 = (text: string): string => Buffer.from(text).toString("base64")
