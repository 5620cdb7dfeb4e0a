import { certificatesIn } from "@portico/upstream/certificates"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import type { S3Key } from "@portico/upstream/rgw/keys"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { baseOf } from "@portico/upstream/webAddress"
import { Config, Context, Effect, Layer, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { badGateway } from "../badGateway.ts"
import { labelsOf } from "../kubernetes/ownership.ts"
import { archiveKeyOf, archivePrefix } from "../objectStorage/archiveNames.ts"
import { makeBucket } from "../objectStorage/buckets.ts"
import { stringAt } from "./fields.ts"

/**
 * Where databases write their archives: `DATABASE_ARCHIVE_ENDPOINT`, the object
 * gateway as the Kubernetes cluster reaches it, and `RGW_URL` without it. Its
 * certificate may be signed by an authority of the platform's own.
 */
export class Archives extends Context.Service<
  Archives,
  {
    /** Without a slash at its end. */
    readonly endpoint: string
    /** PEM of `DATABASE_ARCHIVE_CA_FILE`. */
    readonly ca: string | undefined
  }
>()("portico/domain/databases/Archives") {
  static readonly layer = Layer.effect(
    Archives,
    Effect.gen(function* () {
      const url = yield* Config.URL("DATABASE_ARCHIVE_ENDPOINT").pipe(Config.orElse(() => Config.URL("RGW_URL")))
      const ca = yield* Config.option(
        Config.String("DATABASE_ARCHIVE_CA_FILE").pipe(Config.mapEffect(certificatesIn("DATABASE_ARCHIVE_CA_FILE")))
      )
      return Archives.of({ endpoint: baseOf(url), ca: Option.getOrUndefined(ca) })
    })
  )
}

/** Where a tenant's databases keep their backups. */
export interface Archive {
  /** The object gateway as the cluster reaches it. */
  readonly endpoint: string
  readonly bucket: string
  /** PEM of the authority that signed its certificate; undefined for one that everybody knows. */
  readonly ca: string | undefined
  /** What its requests are signed with. */
  readonly key: S3Key
}

/** The `Secret` with the key of the archive; one for all databases of the tenant. */
const secret = "portico-archive"
const caKey = "ca.crt"

/**
 * One bucket for all databases of a tenant; each life of a database has a folder
 * of its own in it. Bucket names are unique over all tenants of the platform: a
 * name that follows from the project's id alone could be taken by whoever knows
 * that id. So its end is random, and the bucket is found by its beginning.
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
 * Makes the tenant's archive, or finds it: its bucket, which counts against the
 * tenant's buckets as any other, and an S3 key that nothing else is signed
 * with, so that rotating or deleting the tenant's own keys does not stop the
 * backups. Repeatable: the key has a fixed name, and is found again when the
 * answer to its making was lost.
 *
 * The bucket comes first, so that a tenant without room for it is refused before
 * anything was made.
 *
 * Errors: those of a new bucket (409, 422, 502, 503).
 */
export const archiveOf = Effect.fn("databases.archiveOf")(function* (projectId: string) {
  const bucket = yield* bucketOf(projectId)
  yield* makeBucket(projectId, bucket)
  const key = yield* Effect.mapError(ownKey(projectId), badGateway)
  return { ...(yield* Archives), bucket, key } satisfies Archive
})

/** The bucket that a database's backups are in; undefined for one without backups. */
export const bucketIn = (cluster: KubernetesObject): string | undefined =>
  /^s3:\/\/([^/]+)\//.exec(stringAt(cluster, "spec", "backup", "barmanObjectStore", "destinationPath") ?? "")?.[1]

/** Hands the archive's key to the databases of the namespace: makes the `Secret`, or mends one that was changed. */
export const handKey = Effect.fnUntraced(function* (
  { namespace, projectId }: { readonly projectId: string; readonly namespace: string },
  { ca, key }: Archive
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

/** Asked for first: making a key of a name that is there would replace its secret under the feet of every database. */
const ownKey = Effect.fnUntraced(function* (projectId: string) {
  const rgw = yield* Rgw
  const name = archiveKeyOf(rgw.uid(projectId))
  const found = (yield* rgw.listKeys(projectId))?.find((_) => _.accessKey === name)
  return found ?? (yield* rgw.createKey(projectId, name))
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
