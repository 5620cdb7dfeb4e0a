import type { KafkaCredentials } from "@portico/contract/Databases"
import type { Content, KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { createHash } from "node:crypto"
import { labelsOf, namespacesOf } from "../../kubernetes/ownership.ts"
import { peersOf } from "../../kubernetes/policies.ts"
import { at, stringAt } from "../fields.ts"
import { versionNote } from "../record.ts"
import { wasReady } from "../status.ts"

/**
 * The name of a database's node pool. Pools need names of their own in the
 * namespace, and a broker's host name is made of the database's, the pool's and
 * a number, and has 63 characters at most; so it is short, and says nothing.
 */
export const poolName = (name: string): string => `pool-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`

/** The namespace's defaults would kill a broker as soon as it starts. */
const resources = {
  requests: { cpu: "250m", memory: "1Gi" },
  limits: { cpu: "1", memory: "1Gi" }
}

const plain = "plain"
const plainPort = 9092

/**
 * The content of a `KafkaNodePool` (reference: Strimzi v1): one node, which is
 * controller and broker. Its claims go with it; without that they would stay,
 * count against the tenant's, and stop the next database of the name.
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

/** One broker can keep one copy, also of what Kafka keeps for itself. */
const oneCopy = {
  "offsets.topic.replication.factor": 1,
  "transaction.state.log.replication.factor": 1,
  "transaction.state.log.min.isr": 1,
  "default.replication.factor": 1,
  "min.insync.replicas": 1
}

/**
 * The content of a `Kafka`. A broker asks nobody who they are, so that the
 * network decides: a listener lets in the pods of the tenant alone. Without
 * peers Strimzi writes a policy that lets every pod of the cluster in. Its metadata version is the operator's matter, which raises it after an upgrade. */
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

/** The merge patch that grows a pool's first volume. A patch replaces lists whole, so that all of them are in it. */
export const poolPatch = (pool: KubernetesObject, size_gb: number) => {
  const volumes = at(pool, "spec", "storage", "volumes")
  const [first, ...others]: ReadonlyArray<unknown> = Array.isArray(volumes) ? volumes : []
  return { spec: { storage: { volumes: [{ ...Object(first), size: `${size_gb}Gi` }, ...others] } } }
}

const listener = (kafka: KubernetesObject | undefined): unknown => {
  const listeners = at(kafka, "status", "listeners")
  return Array.isArray(listeners) ? listeners.find((_) => stringAt(_, "name") === plain) : undefined
}

/**
 * Where the brokers are reached from within the cluster; null until they were
 * there once. Strimzi drops the listeners from its status when something goes
 * wrong, although the service goes on.
 */
export const kafkaEndpoint = (kafka: KubernetesObject | undefined) => {
  const addresses = at(listener(kafka), "addresses")
  const address: unknown = Array.isArray(addresses) ? addresses[0] : undefined
  const [host, port] = [stringAt(address, "host"), at(address, "port")]
  if (host !== undefined && typeof port === "number") return { host, port }
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
