import { createHash } from "node:crypto"
import { fixtures } from "../Fixtures.ts"
import type { JsonObject } from "../Json.ts"
import { clusterRoles } from "./clusterRoles.ts"
import { tokenIssuer } from "./issuer.ts"
import { customResourceDefinitions, gatewayApi, type Seed, since } from "./customResourceDefinitions.ts"
import { builtIns, resourceOf } from "./kinds.ts"
import { gatewayRules } from "./gatewayRules.ts"
import { gatewayStatus } from "./operators/edge/gatewayStatus.ts"
import { controllerName, gatewayClasses, gateways, publicGateway } from "./operators/edge/names.ts"
import { rootCertificate } from "./rootCertificate.ts"
import type { KubernetesState, Thing } from "./state.ts"

/** Constant uids, so that two new clusters are equal. */
const uidOf = (text: string): string => {
  const hash = createHash("sha256").update(text).digest("hex")
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

/** Custom kinds with objects in a new cluster. */
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

/** The platform's edge: one gateway for all tenants, which accepts routes of its own namespace only. */
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
      nodeInfo: { kubeletVersion: "v1.34.3", operatingSystem: "linux", architecture: "amd64" }
    }
  },
  { name: "node-1", labels: { "kubernetes.io/hostname": "node-1", "kubernetes.io/os": "linux" } }
]

/** The API server's address inside the cluster: its Service, and its endpoint. */
const apiServer: ReadonlyArray<readonly [Seed, JsonObject]> = [
  [
    {
      apiVersion: "v1",
      kind: "Service",
      spec: {
        type: "ClusterIP",
        clusterIP: "10.96.0.1",
        clusterIPs: ["10.96.0.1"],
        ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }]
      }
    },
    { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } }
  ],
  [
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      addressType: "IPv4",
      endpoints: [{ addresses: ["192.0.2.10"], conditions: { ready: true } }],
      ports: [{ name: "https", protocol: "TCP", port: 6443 }]
    },
    { name: "kubernetes", namespace: "default", labels: { "kubernetes.io/service-name": "kubernetes" } }
  ]
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
  // The gateway's account and binding, which the platform's administrator creates.
  bind("portico-platform-admins", "cluster-admin", group("portico:platform-admins")),
  [{ apiVersion: `${rbac}/v1`, kind: "ClusterRole", rules: gatewayRules }, { name: serviceAccount }],
  bind(serviceAccount, serviceAccount, { kind: "ServiceAccount", name: serviceAccount, namespace: home }),
  node,
  storageClass,
  ...apiServer,
  ...customResourceDefinitions,
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
