import type { KafkaCredentials } from "@portico/contract/DatabaseCredentials"
import type { Content, KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { createHash } from "node:crypto"
import { labelsOf, namespacesOf } from "../../kubernetes/ownership.ts"
import { peersOf } from "../../kubernetes/policies.ts"
import { listAt, wholeAt, stringAt } from "../../kubernetes/fields.ts"
import { versionNote } from "../record.ts"
import { wasReady } from "../status.ts"

/**
 * The name of a database's node pool. Pools need unique names in the namespace. A broker's host
 * name consists of the names of the database and the pool and a number, and has 63 characters at
 * most; the pool's name is therefore a short hash.
 */
export const poolName = (name: string): string => `pool-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`

/** With the namespace's default limits a broker would be killed at its start. */
const resources = {
  requests: { cpu: "250m", memory: "1Gi" },
  limits: { cpu: "1", memory: "1Gi" }
}

const plain = "plain"
const plainPort = 9092

/**
 * The content of a `KafkaNodePool` (reference: Strimzi v1): one node, which is controller and
 * broker. Its claims are deleted with it. Otherwise they would stay, count against the tenant's
 * ceiling and block the next database of the name.
 */
export const poolContent = (request: {
  readonly projectId: string
  readonly name: string
  readonly version: string
  readonly size_gb: number
}): Content => ({
  labels: { ...labelsOf(request.projectId), "strimzi.io/cluster": request.name },
  annotations: { [versionNote]: request.version },
  fields: {
    spec: {
      replicas: 1,
      roles: ["controller", "broker"],
      storage: {
        type: "jbod",
        volumes: [
          { id: 0, type: "persistent-claim", size: `${request.size_gb}Gi`, kraftMetadata: "shared", deleteClaim: true }
        ]
      },
      resources
    }
  }
})

/** One broker can hold one copy, also of Kafka's internal topics. */
const oneCopy = {
  "offsets.topic.replication.factor": 1,
  "transaction.state.log.replication.factor": 1,
  "transaction.state.log.min.isr": 1,
  "default.replication.factor": 1,
  "min.insync.replicas": 1
}

/**
 * The content of a `Kafka`. Brokers do not authenticate clients, so the network policy protects
 * them: each listener only admits pods of the tenant. Without peers Strimzi writes a policy that
 * admits every pod of the cluster. The metadata version is left to the operator, which raises it
 * after an upgrade.
 */
export const kafkaContent = (request: { readonly projectId: string; readonly version: string }): Content => ({
  labels: labelsOf(request.projectId),
  fields: {
    spec: {
      kafka: {
        version: request.version,
        listeners: [
          { name: plain, port: plainPort, tls: false },
          { name: "tls", port: 9093, tls: true }
        ].map((_) => ({ ..._, type: "internal", networkPolicyPeers: peersOf(namespacesOf(request.projectId)) })),
        config: oneCopy
      }
    }
  }
})

/**
 * The merge patch that grows a pool's first volume. A merge patch replaces lists as a whole, so it
 * contains all volumes.
 */
export const poolPatch = (pool: KubernetesObject, size_gb: number) => {
  const [first, ...others] = listAt(pool, "spec", "storage", "volumes")
  return { spec: { storage: { volumes: [{ ...Object(first), size: `${size_gb}Gi` }, ...others] } } }
}

const listener = (kafka: KubernetesObject | undefined): unknown =>
  listAt(kafka, "status", "listeners").find((_) => stringAt(_, "name") === plain)

/**
 * The brokers' address within the cluster; null until there were brokers. Strimzi drops the
 * listeners from its status during failures, although the service still exists.
 */
export const kafkaEndpoint = (kafka: KubernetesObject | undefined) => {
  const [address] = listAt(listener(kafka), "addresses")
  const [host, port] = [stringAt(address, "host"), wholeAt(address, "port")]
  if (host !== undefined && port !== undefined) return { host, port }
  if (kafka === undefined || !wasReady(kafka)) return null
  const namespace = stringAt(kafka, "metadata", "namespace") ?? ""
  return { host: `${String(kafka.metadata.name)}-kafka-bootstrap.${namespace}.svc`, port: plainPort }
}

/** Undefined until there were brokers. */
export const kafkaCredentials = (kafka: KubernetesObject | undefined): KafkaCredentials | undefined => {
  const endpoint = kafkaEndpoint(kafka)
  const bootstrap =
    stringAt(listener(kafka), "bootstrapServers") ??
    (endpoint === null ? undefined : `${endpoint.host}:${endpoint.port}`)
  return bootstrap === undefined ? undefined : { engine: "kafka", bootstrap, credentials: null }
}
