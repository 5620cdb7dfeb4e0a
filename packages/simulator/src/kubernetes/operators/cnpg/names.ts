import { type JsonObject, numberAt, objectAt, stringAt } from "../../../Json.ts"
import type { Operator } from "../Operator.ts"

export const clusters = "clusters.postgresql.cnpg.io"
export const backups = "backups.postgresql.cnpg.io"
export const scheduledBackups = "scheduledbackups.postgresql.cnpg.io"

export const clusterLabel = "cnpg.io/cluster"
export const instanceLabel = "cnpg.io/instanceName"

/** The default image of a `Cluster`. */
export const defaultImage = "ghcr.io/cloudnative-pg/postgresql:18.1-system-trixie"

export const cnpg: Operator = {
  component: "cloudnative-pg",
  manager: "manager",
  account: "system:serviceaccount:cnpg-system:cnpg-manager"
}

export const phases = {
  primary: "Setting up primary",
  replica: "Creating a new replica",
  waiting: "Waiting for the instances to become active",
  healthy: "Cluster in healthy state",
  upgrade: "Upgrading cluster",
  majorUpgrade: "Upgrading Postgres major version",
  failover: "Failing over",
  unrecoverable: "Cluster is unrecoverable and needs manual intervention",
  objects: "Unable to create required cluster objects"
} as const

export const specOf = (cluster: JsonObject): JsonObject => objectAt(cluster, "spec")
export const statusOf = (cluster: JsonObject): JsonObject => objectAt(cluster, "status")

export const wantedInstances = (cluster: JsonObject): number => numberAt(specOf(cluster), "instances") ?? 1

export const imageOf = (cluster: JsonObject): string => stringAt(specOf(cluster), "imageName") ?? defaultImage

/** `17.6-system-trixie` of an image's name; empty when it names none. */
export const tagOf = (image: string): string => /:([^/:]+)$/.exec(image.replace(/@.*$/, ""))?.[1] ?? ""

/** The major version that an image's tag begins with. */
export const majorOf = (image: string): number | undefined => {
  const major = /^(\d+)(\.\d+)*/.exec(tagOf(image))?.[1]
  return major === undefined ? undefined : Number(major)
}

/** The bootstrap method: an empty database, or a recovery. */
export const bootstrapOf = (
  cluster: JsonObject
): { readonly recovery: JsonObject | undefined; readonly how: JsonObject } => {
  const bootstrap = objectAt(specOf(cluster), "bootstrap")
  const recovery = bootstrap["recovery"] === undefined ? undefined : objectAt(bootstrap, "recovery")
  return { recovery, how: recovery ?? objectAt(bootstrap, "initdb") }
}
