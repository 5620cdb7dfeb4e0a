import type { JsonObject } from "../Json.ts"
import { schemas } from "./operators/schemas.ts"

/** The creation time of everything in a new cluster. */
export const since = "2026-01-01T00:00:00Z"

/** An object of a new cluster, without its server-set metadata. */
export interface Seed extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
}

interface Names {
  readonly kind: string
  readonly plural: string
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
}

interface Custom {
  readonly status?: false
  /** The schema of `spec`; unlisted fields are preserved. */
  readonly spec?: JsonObject
  /** The path of the number of replicas; makes the kind scalable. */
  readonly replicas?: string
  readonly cluster?: true
  readonly columns?: ReadonlyArray<readonly [name: string, type: string, jsonPath: string]>
}

/**
 * A kind of an operator. Its schema has the fields that matter to a client and preserves the others. The
 * operator's webhook, if it has one, validates the rest.
 */
const custom = (apiGroup: string, version: string, names: Names, row: Custom = {}): readonly [Seed, JsonObject] => [
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: {
      group: apiGroup,
      scope: row.cluster === true ? "Cluster" : "Namespaced",
      names: {
        ...names,
        singular: names.kind.toLowerCase(),
        listKind: `${names.kind}List`
      },
      conversion: { strategy: "None" },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              "x-kubernetes-preserve-unknown-fields": true,
              ...(row.spec === undefined ? {} : { required: ["spec"], properties: { spec: row.spec } })
            }
          },
          additionalPrinterColumns: (row.columns ?? []).map(([name, type, jsonPath]) => ({ name, type, jsonPath })),
          subresources: {
            ...(row.status === false ? {} : { status: {} }),
            ...(row.replicas === undefined
              ? {}
              : { scale: { specReplicasPath: row.replicas, statusReplicasPath: ".status.instances" } })
          }
        }
      ]
    },
    status: {
      conditions: [
        { type: "NamesAccepted", status: "True", lastTransitionTime: since, reason: "NoConflicts", message: "" },
        { type: "Established", status: "True", lastTransitionTime: since, reason: "InitialNamesAccepted", message: "" }
      ],
      acceptedNames: names,
      storedVersions: [version]
    }
  },
  { name: `${names.plural}.${apiGroup}`, generation: 1 }
]

const cnpg = "postgresql.cnpg.io"
const strimzi = "kafka.strimzi.io"
export const gatewayApi = "gateway.networking.k8s.io"

const ready = [["Ready", "string", '.status.conditions[?(@.type=="Ready")].status']] as const

export const customResourceDefinitions = [
  custom(
    cnpg,
    "v1",
    { kind: "Cluster", plural: "clusters" },
    {
      spec: schemas.cluster,
      replicas: ".spec.instances",
      columns: [
        ["Age", "date", ".metadata.creationTimestamp"],
        ["Instances", "integer", ".status.instances"],
        ["Ready", "integer", ".status.readyInstances"],
        ["Status", "string", ".status.phase"],
        ["Primary", "string", ".status.currentPrimary"]
      ]
    }
  ),
  custom(cnpg, "v1", { kind: "Backup", plural: "backups" }, { spec: schemas.backup }),
  custom(cnpg, "v1", { kind: "ScheduledBackup", plural: "scheduledbackups" }, { spec: schemas.scheduledBackup }),
  custom(
    strimzi,
    "v1",
    { kind: "Kafka", plural: "kafkas", shortNames: ["k"], categories: ["strimzi"] },
    { spec: schemas.kafka, columns: ready }
  ),
  custom(
    strimzi,
    "v1",
    { kind: "KafkaNodePool", plural: "kafkanodepools", shortNames: ["knp"], categories: ["strimzi"] },
    { spec: schemas.nodePool, replicas: ".spec.replicas" }
  ),
  custom(
    strimzi,
    "v1",
    { kind: "KafkaTopic", plural: "kafkatopics", shortNames: ["kt"], categories: ["strimzi"] },
    {
      spec: schemas.topic,
      columns: [
        ["Cluster", "string", '.metadata.labels["strimzi.io/cluster"]'],
        ["Partitions", "integer", ".spec.partitions"],
        ["Replication factor", "integer", ".spec.replicas"],
        ...ready
      ]
    }
  ),
  custom(
    strimzi,
    "v1",
    { kind: "KafkaUser", plural: "kafkausers", shortNames: ["ku"], categories: ["strimzi"] },
    { columns: ready }
  ),
  custom(
    gatewayApi,
    "v1",
    { kind: "GatewayClass", plural: "gatewayclasses", shortNames: ["gc"], categories: ["gateway-api"] },
    { cluster: true }
  ),
  custom(gatewayApi, "v1", {
    kind: "Gateway",
    plural: "gateways",
    shortNames: ["gtw"],
    categories: ["gateway-api"]
  }),
  custom(
    gatewayApi,
    "v1",
    { kind: "HTTPRoute", plural: "httproutes", categories: ["gateway-api"] },
    { spec: schemas.httpRoute }
  ),
  custom(
    gatewayApi,
    "v1beta1",
    { kind: "ReferenceGrant", plural: "referencegrants", shortNames: ["refgrant"], categories: ["gateway-api"] },
    { status: false }
  )
]
