import type { PostgresCredentials } from "@portico/contract/DatabaseCredentials"
import type { Content, KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { labelsOf } from "../../kubernetes/ownership.ts"
import type { BackupStanza } from "../backups.ts"
import type { Extent } from "../ceilings.ts"
import { at, stringAt } from "../../kubernetes/fields.ts"
import { hasPrimary } from "../status.ts"

/** The port of an instance's server. */
const port = 5432

/** The namespace's defaults are too small for a database. */
const resources = {
  requests: { cpu: "250m", memory: "1Gi" },
  limits: { cpu: "1", memory: "1Gi" }
}

/**
 * The synchronous replication for a number of instances: CloudNativePG refuses more synchronous
 * standbys than there are. With a single standby, `required` would block all writes when it fails,
 * so the primary then only waits for it while it is available.
 */
export const synchronous = (replicas: number) =>
  replicas < 2 ? null : { method: "any", number: 1, dataDurability: replicas < 3 ? "preferred" : "required" }

/** The parameters of a `Cluster`. */
export interface ClusterRequest extends Extent {
  readonly projectId: string
  readonly image: string
  /** `bootstrap` and `externalClusters` of a restored database; absent for an empty one. */
  readonly recovery?: { readonly bootstrap: unknown; readonly externalClusters: unknown } | undefined
}

/** The content of a `Cluster` (reference: CloudNativePG v1). Its storage uses the cluster's default storage class. */
export const clusterContent = (
  { image, projectId, recovery, replicas, size_gb }: ClusterRequest,
  stanza: BackupStanza | undefined
): Content => ({
  labels: labelsOf(projectId),
  ...(stanza === undefined ? {} : { annotations: stanza.annotations }),
  fields: {
    spec: {
      instances: replicas,
      imageName: image,
      storage: { size: `${size_gb}Gi` },
      resources,
      ...(replicas < 2 ? {} : { postgresql: { synchronous: synchronous(replicas) } }),
      bootstrap: { initdb: { database: "app", owner: "app" } },
      ...recovery,
      ...stanza?.spec
    }
  }
})

/** The merge patch for a `Cluster`; it contains only what changes. */
export const clusterPatch = ({ replicas, size_gb }: Partial<Extent>) => ({
  spec: {
    ...(size_gb === undefined ? {} : { storage: { size: `${size_gb}Gi` } }),
    // Both belong in one patch: the webhook refuses either change alone.
    ...(replicas === undefined ? {} : { instances: replicas, postgresql: { synchronous: synchronous(replicas) } })
  }
})

/** The secret in which CloudNativePG keeps the password of a cluster's owner. */
export const passwordSecret = (name: string): string => `${name}-app`

/** The primary's address from every namespace; null until there has been a primary. */
export const postgresEndpoint = (cluster: KubernetesObject) => {
  const name = stringAt(cluster, "status", "writeService") ?? `${String(cluster.metadata.name)}-rw`
  const namespace = stringAt(cluster, "metadata", "namespace") ?? ""
  return hasPrimary(cluster) ? { host: hostOf(name, namespace), port } : null
}

/**
 * The one spelling of a service's name, which resolves in every namespace, whatever the domain of
 * the cluster is; the certificates of CloudNativePG have it too.
 */
const hostOf = (service: string, namespace: string): string => `${service}.${namespace}.svc`

/**
 * The connection details in the secret, with the host as the database's record spells it. The
 * secret has the short name, which only resolves in the database's own namespace, and in `fqdn-uri`
 * the full one. Undefined for an incomplete secret.
 */
export const postgresCredentials = (secret: KubernetesObject): PostgresCredentials | undefined => {
  const [username, password, dbname] = [
    textAt(secret, "username"),
    textAt(secret, "password"),
    textAt(secret, "dbname")
  ]
  const uri = textAt(secret, "fqdn-uri") ?? textAt(secret, "uri")
  if (username === undefined || password === undefined || dbname === undefined || uri === undefined) return undefined
  const address = URL.canParse(uri) ? new URL(uri) : undefined
  if (address === undefined) return undefined
  const [service = ""] = address.hostname.split(".", 1)
  const host = hostOf(service, stringAt(secret, "metadata", "namespace") ?? "")
  return {
    engine: "postgres",
    username,
    password,
    // Not by way of the parsed address, which could spell the password otherwise.
    uri: uri.replace(`@${address.hostname}`, () => `@${host}`),
    host,
    port: address.port === "" ? port : Number(address.port),
    dbname
  }
}

const textAt = (secret: KubernetesObject, key: string): string | undefined => {
  const value = at(secret, "data", key)
  return typeof value === "string" && value !== "" ? Buffer.from(value, "base64").toString("utf8") : undefined
}
