import { createHash } from "node:crypto"
import { fixtures } from "../Fixtures.ts"
import { clusterRoles } from "./clusterroles.ts"
import { tokenIssuer } from "./issuer.ts"
import { builtIns, resourceOf } from "./kinds.ts"
import { gatewayStatus } from "./operators/edge/gatewayStatus.ts"
import { controllerName, gatewayClasses, gateways, publicGateway } from "./operators/edge/names.ts"
import { schemas } from "./operators/schemas.ts"
import { rootCertificate } from "./rootCertificate.ts"
import type { JsonObject, KubernetesState, Thing } from "./state.ts"

const since = "2026-01-01T00:00:00Z"

/** The same in every cluster, so that two clusters which hold the same are equal. */
const uidOf = (text: string): string => {
  const hash = createHash("sha256").update(text).digest("hex")
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

interface Seed extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
}

/** Custom kinds of which there is something from the start. */
const customResources: Readonly<Record<string, string>> = { Gateway: gateways, GatewayClass: gatewayClasses }

const resourceOfSeed = ({ apiVersion, kind }: Seed): string => {
  const found = builtIns.find((_) => _.kind === kind && apiVersion.endsWith(_.version))
  return found === undefined ? (customResources[kind] ?? kind) : resourceOf(found)
}

const rbac = "rbac.authorization.k8s.io"
const { namespace: home, serviceAccount } = fixtures.kubernetes

const namespace = (name: string): ReadonlyArray<readonly [Seed, JsonObject]> => [
  [
    {
      apiVersion: "v1",
      kind: "Namespace",
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" }
    },
    { name, labels: { "kubernetes.io/metadata.name": name } }
  ],
  [
    { apiVersion: "v1", kind: "ServiceAccount" },
    { name: "default", namespace: name }
  ],
  [
    { apiVersion: "v1", kind: "ConfigMap", data: { "ca.crt": rootCertificate } },
    { name: "kube-root-ca.crt", namespace: name, annotations: rootCertificateNote }
  ]
]

export const rootCertificateNote = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the " +
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."
}

const bind = (name: string, role: string, subject: JsonObject): readonly [Seed, JsonObject] => [
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    subjects: [subject]
  },
  { name }
]

const group = (name: string) => ({ apiGroup: rbac, kind: "Group", name })

interface Names {
  readonly kind: string
  readonly plural: string
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
}

interface Custom {
  readonly status?: false
  /** What the definition says of `spec`; it leaves the rest of it open. */
  readonly spec?: JsonObject
  /** Where the number of replicas is: makes the kind scalable. */
  readonly replicas?: string
  readonly cluster?: true
  readonly columns?: ReadonlyArray<readonly [name: string, type: string, jsonPath: string]>
}

/**
 * A kind that an operator brings along. Its schema says what matters to
 * somebody, and is open for the rest: what an operator refuses, its webhook
 * refuses, if it has one.
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
const gatewayApi = "gateway.networking.k8s.io"

const ready = [["Ready", "string", '.status.conditions[?(@.type=="Ready")].status']] as const

const customKinds = [
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
    { columns: ready }
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

const gatewaySpec = {
  gatewayClassName: publicGateway.gatewayClass,
  listeners: [
    { name: "http", protocol: "HTTP", port: 80, allowedRoutes: { namespaces: { from: "Same" } } },
    {
      name: "https",
      protocol: "HTTPS",
      port: 443,
      tls: { mode: "Terminate", certificateRefs: [{ group: "", kind: "Secret", name: "edge-certificate" }] },
      allowedRoutes: { namespaces: { from: "Same" } }
    }
  ]
}

const publicStatus = gatewayStatus(
  {
    apiVersion: `${gatewayApi}/v1`,
    kind: "Gateway",
    metadata: { name: "", uid: "", resourceVersion: "", creationTimestamp: since, generation: 1 },
    spec: gatewaySpec
  },
  () => 0,
  Date.parse(since)
)

/** The platform's edge: one gateway for all, which takes the routes of its own namespace and of no other. */
const edge: ReadonlyArray<readonly [Seed, JsonObject]> = [
  [
    {
      apiVersion: `${gatewayApi}/v1`,
      kind: "GatewayClass",
      spec: { controllerName },
      status: {
        conditions: [
          {
            type: "Accepted",
            status: "True",
            reason: "Accepted",
            message: "Valid GatewayClass",
            observedGeneration: 1,
            lastTransitionTime: since
          }
        ]
      }
    },
    { name: publicGateway.gatewayClass, generation: 1 }
  ],
  [
    { apiVersion: `${gatewayApi}/v1`, kind: "Gateway", spec: gatewaySpec, status: publicStatus },
    { name: publicGateway.gateway, namespace: publicGateway.namespace, generation: 1 }
  ]
]

const node: readonly [Seed, JsonObject] = [
  {
    apiVersion: "v1",
    kind: "Node",
    spec: { podCIDR: "10.244.0.0/24" },
    status: {
      capacity: { cpu: "64", memory: "256Gi", pods: "110" },
      allocatable: { cpu: "64", memory: "256Gi", pods: "110" },
      addresses: [
        { type: "InternalIP", address: "192.0.2.10" },
        { type: "Hostname", address: "node-1" }
      ],
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", lastTransitionTime: since }],
      nodeInfo: { kubeletVersion: "v1.30.4", operatingSystem: "linux", architecture: "amd64" }
    }
  },
  { name: "node-1", labels: { "kubernetes.io/hostname": "node-1", "kubernetes.io/os": "linux" } }
]

const storageClass: readonly [Seed, JsonObject] = [
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    provisioner: "rbd.csi.ceph.com",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    allowVolumeExpansion: true
  },
  { name: "rbd", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } }
]

const all: ReadonlyArray<readonly [Seed, JsonObject]> = [
  ...["default", "kube-node-lease", "kube-public", "kube-system", home, publicGateway.namespace].flatMap(namespace),
  [
    { apiVersion: "v1", kind: "ServiceAccount" },
    { name: serviceAccount, namespace: home }
  ],
  ...clusterRoles.map(
    ({ name, ...role }) =>
      [
        { apiVersion: `${rbac}/v1`, kind: "ClusterRole", ...role },
        { name, labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } }
      ] as const
  ),
  bind("cluster-admin", "cluster-admin", group("system:masters")),
  bind("system:basic-user", "system:basic-user", group("system:authenticated")),
  bind("system:discovery", "system:discovery", group("system:authenticated")),
  bind("system:public-info-viewer", "system:public-info-viewer", group("system:authenticated")),
  // What an operator who runs a gateway does for the platform's administrators.
  bind("portico-platform-admins", "cluster-admin", group("portico:platform-admins")),
  bind(serviceAccount, "cluster-admin", { kind: "ServiceAccount", name: serviceAccount, namespace: home }),
  node,
  storageClass,
  ...customKinds,
  ...edge
]

/** A cluster without tenants: its own namespaces, roles, one node, the operators' kinds, the gateway's account. */
export const kubernetes = (): KubernetesState => {
  const objects: Record<string, Record<string, Thing>> = {}
  for (const [index, [{ apiVersion, kind, ...rest }, { name, ...meta }]] of all.entries()) {
    const resource = resourceOfSeed({ apiVersion, kind })
    const key = `${String(meta["namespace"] ?? "")}/${String(name)}`
    const of = (objects[resource] ??= {})
    of[key] = {
      apiVersion,
      kind,
      metadata: {
        ...meta,
        name: String(name),
        uid: uidOf(`${resource} ${key}`),
        resourceVersion: String(index + 1),
        creationTimestamp: since
      },
      ...rest
    }
  }
  return {
    objects,
    tokenIssuer: tokenIssuer(),
    history: [],
    timers: {},
    disks: {},
    ailments: {},
    logs: {},
    counters: { version: all.length, compacted: all.length, address: 0 }
  }
}
