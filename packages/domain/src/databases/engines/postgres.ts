import type { PostgresCredentials } from "@portico/contract/Databases"
import type { Content, KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { labelsOf } from "../../kubernetes/ownership.ts"
import type { BackupStanza } from "../backups.ts"
import type { Extent } from "../ceilings.ts"
import { at, stringAt } from "../fields.ts"
import { hasPrimary } from "../status.ts"

/** Where the server of an instance listens. */
const port = 5432

/** Said here, because the namespace's defaults are too small for a database. */
const resources = {
  requests: { cpu: "250m", memory: "1Gi" },
  limits: { cpu: "1", memory: "1Gi" }
}

/**
 * Synchronous replication, of as many instances as can have it: CloudNativePG
 * refuses more standbys than there are. With one standby alone its loss would
 * stop every write, so that it is waited for only while it is there.
 */
export const synchronous = (replicas: number) =>
  replicas < 2 ? null : { method: "any", number: 1, dataDurability: replicas < 3 ? "preferred" : "required" }

/** What a `Cluster` is made of. */
export interface ClusterRequest extends Extent {
  readonly projectId: string
  readonly image: string
  /** `bootstrap` and `externalClusters` of a database that begins as a copy; an empty one begins with nothing. */
  readonly recovery?: { readonly bootstrap: unknown; readonly externalClusters: unknown } | undefined
}

/** The content of a `Cluster` (reference: CloudNativePG v1). Its storage is of the cluster's default class. */
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

/** The merge patch that makes a `Cluster` what it is to be; what is not to change is not in it. */
export const clusterPatch = ({ replicas, size_gb }: Partial<Extent>) => ({
  spec: {
    ...(size_gb === undefined ? {} : { storage: { size: `${size_gb}Gi` } }),
    // In the same patch, or the webhook refuses one of the two.
    ...(replicas === undefined ? {} : { instances: replicas, postgresql: { synchronous: synchronous(replicas) } })
  }
})

/** The secret in which CloudNativePG keeps the password of a cluster's owner. */
export const passwordSecret = (name: string): string => `${name}-app`

/** Where the primary is reached from every namespace; null until there has been one. */
export const postgresEndpoint = (cluster: KubernetesObject) => {
  const name = stringAt(cluster, "status", "writeService") ?? `${String(cluster.metadata.name)}-rw`
  const namespace = stringAt(cluster, "metadata", "namespace") ?? ""
  return hasPrimary(cluster) ? { host: `${name}.${namespace}.svc`, port } : null
}

/**
 * What a client needs, out of the secret. Its `host` is the service's short
 * name, which works in the database's own namespace alone; the full one stands
 * in `fqdn-uri`. Undefined for a secret that does not say everything.
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
  return {
    engine: "postgres",
    username,
    password,
    uri,
    host: address.hostname,
    port: address.port === "" ? port : Number(address.port),
    dbname
  }
}

const textAt = (secret: KubernetesObject, key: string): string | undefined => {
  const value = at(secret, "data", key)
  return typeof value === "string" && value !== "" ? Buffer.from(value, "base64").toString("utf8") : undefined
}
