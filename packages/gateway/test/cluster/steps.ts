import {
  applied,
  apps,
  batch,
  claim,
  configMap,
  containers,
  core,
  deployment,
  json,
  labels,
  merge,
  pod,
  service,
  type Step,
  step,
  strategic,
  template
} from "./ask.ts"
import { more } from "./more.ts"

/** What is asked of both clusters, in this order; each step finds what those before it left. */
export const steps: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "objects and their names": [
    step(`POST ${core}/configmaps`, configMap("one"), { tier: 1 }),
    step(`POST ${core}/configmaps`, configMap("one")),
    step(`POST ${core}/configmaps`, configMap("Not_A_Name")),
    step(`POST ${core}/configmaps`, configMap("a".repeat(254))),
    step(`POST ${core}/configmaps`, { apiVersion: "v1", kind: "ConfigMap", metadata: {} }),
    step(`POST ${core}/configmaps`, { ...configMap("two"), apiVersion: "v2" }),
    step(`POST ${core}/configmaps`, { ...configMap("two"), kind: "Secret" }),
    step(`POST ${core}/configmaps`, { ...configMap("two"), metadata: { name: "two", namespace: "elsewhere" } }),
    step(`POST ${core}/configmaps`, { metadata: { name: "bare" } }),
    step(`POST ${core}/configmaps`, configMap("two", { color: 1 })),
    step(`POST ${core}/configmaps`, configMap("two", { "a key": "x" })),
    step(`POST ${core}/configmaps?fieldValidation=Strict`, { ...configMap("two"), colour: "red" }),
    step(`POST ${core}/configmaps?fieldValidation=Warn`, { ...configMap("warned"), colour: "red" }),
    step(`POST ${core}/configmaps?fieldValidation=Sometimes`, configMap("two")),
    step(`POST ${core}/configmaps?dryRun=All`, configMap("dry")),
    step(`POST ${core}/configmaps?dryRun=Some`, configMap("dry")),
    step(`POST ${core}/configmaps`, "{", { headers: { "content-type": "application/json" } }),
    step(`POST ${core}/configmaps`, "x", { headers: { "content-type": "text/plain" } }),
    step(`POST ${core}/configmaps`, configMap("two", { color: "red", shape: "round" })),
    step(`GET ${core}/configmaps/one`, undefined, { tier: 0 }),
    step(`GET ${core}/configmaps/none`),
    step(`GET ${core}/configmaps/one/status`),
    step(`GET ${core}/nonesuch`),
    step(`GET ${core}/configmaps?limit=1`),
    step(`GET ${core}/configmaps?limit=-1`),
    step(`GET ${core}/configmaps?limit=x`),
    step(`GET ${core}/configmaps?continue=nonsense`),
    step(`GET ${core}/configmaps?labelSelector=a=b=c`),
    step(`GET ${core}/configmaps?labelSelector=${encodeURIComponent("!app")}`),
    step(`GET ${core}/configmaps?fieldSelector=metadata.name=one`),
    step(`GET ${core}/configmaps?fieldSelector=data.color=red`),
    step(`GET ${core}/configmaps?resourceVersion=x`),
    step(`GET ${core}/configmaps?resourceVersion=0&resourceVersionMatch=Exact`),
    step(`GET ${core}/configmaps?resourceVersionMatch=Exact`),
    step(`GET ${core}/configmaps/one`, undefined, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
    }),
    step(`GET ${core}/configmaps/one`, undefined, {
      headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" }
    }),
    step(`GET ${core}/configmaps/one`, undefined, { headers: { accept: "text/html" } })
  ],
  changes: [
    merge(`${core}/configmaps/one`, { data: { color: "blue", shape: null } }),
    strategic(`${core}/configmaps/one`, { metadata: { labels: { app: "web" } } }),
    json(`${core}/configmaps/one`, [{ op: "test", path: "/data/color", value: "red" }]),
    json(`${core}/configmaps/one`, [{ op: "replace", path: "/data/none", value: "x" }]),
    json(`${core}/configmaps/one`, [{ op: "add", path: "/data/size", value: "7" }]),
    json(`${core}/configmaps/one`, { op: "add" }),
    merge(`${core}/configmaps/one`, { metadata: { name: "other" } }),
    merge(`${core}/configmaps/one`, { metadata: { resourceVersion: "1" }, data: { color: "green" } }),
    merge(`${core}/configmaps/none`, { data: {} }),
    merge(`${core}/configmaps/one`, "nonsense"),
    step(`PATCH ${core}/configmaps/one`, "{}", { headers: { "content-type": "application/json" } }),
    applied(`${core}/configmaps/applied?fieldManager=one`, configMap("applied")),
    applied(`${core}/configmaps/applied`, configMap("applied")),
    applied(`${core}/configmaps/applied?fieldManager=two`, configMap("applied", { color: "blue" })),
    applied(`${core}/configmaps/applied?fieldManager=two&force=true`, configMap("applied", { color: "blue" })),
    applied(`${core}/configmaps/applied?fieldManager=one`, configMap("applied", { shape: "round" })),
    applied(`${core}/configmaps/applied?fieldManager=one`, configMap("other")),
    step(`PUT ${core}/configmaps/one`, configMap("one", { color: "put" })),
    step(`PUT ${core}/configmaps/one`, configMap("two")),
    step(`PUT ${core}/configmaps/absent`, configMap("absent")),
    step(`PUT ${core}/configmaps/one`, { ...configMap("one"), metadata: { name: "one", resourceVersion: "1" } }),
    step(`PUT ${core}/configmaps/one`, { ...configMap("one"), metadata: { name: "one", uid: "not-mine" } }),
    step(`POST ${core}/configmaps`, { ...configMap("fixed"), immutable: true }),
    merge(`${core}/configmaps/fixed`, { data: { color: "blue" } }),
    merge(`${core}/configmaps/fixed`, { immutable: false })
  ],
  deletions: [
    step(`DELETE ${core}/configmaps/one`, { preconditions: { uid: "not-mine" } }),
    step(`DELETE ${core}/configmaps/one`, { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Sideways" }),
    step(`DELETE ${core}/configmaps/one?dryRun=All`),
    step(`DELETE ${core}/configmaps/one`, undefined, { tier: 1 }),
    step(`DELETE ${core}/configmaps/one`),
    step(`DELETE ${core}/configmaps/one`),
    step(`DELETE ${core}/configmaps?labelSelector=app=none`),
    merge(`${core}/configmaps/two`, { metadata: { finalizers: ["example.org/hold"] } }),
    step(`DELETE ${core}/configmaps/two`),
    merge(`${core}/configmaps/two`, { metadata: { finalizers: ["example.org/hold", "example.org/more"] } }),
    merge(`${core}/configmaps/two`, { metadata: { finalizers: null } }),
    step(`GET ${core}/configmaps/two`)
  ],
  workloads: [
    step(`POST ${apps}/deployments`, deployment("web"), { tier: 1 }),
    step(`POST ${apps}/deployments`, deployment("odd", { selector: { matchLabels: { app: "other" } } })),
    step(`POST ${apps}/deployments`, deployment("odd", { replicas: -1 })),
    step(`POST ${apps}/deployments`, { ...deployment("odd"), spec: {} }),
    merge(`${apps}/deployments/web`, { spec: { selector: { matchLabels: { app: "other" } } } }),
    strategic(`${apps}/deployments/web`, {
      spec: { template: { spec: { containers: [{ name: "side", image: "busybox" }] } } }
    }),
    step(`GET ${apps}/deployments/web/scale`),
    merge(`${apps}/deployments/web/scale`, { spec: { replicas: -1 } }),
    step(`POST ${apps}/statefulsets`, {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "kept" },
      spec: { replicas: 0, serviceName: "kept", selector: { matchLabels: labels }, template }
    }),
    merge(`${apps}/statefulsets/kept`, { spec: { serviceName: "other" } }),
    step(`POST ${apps}/daemonsets`, {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "everywhere" },
      spec: { selector: { matchLabels: { app: "d" } }, template: { ...template, metadata: { labels: { app: "d" } } } }
    }),
    step(`POST ${batch}/cronjobs`, {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "nightly" },
      spec: { schedule: "not a schedule", jobTemplate: { spec: { template } } }
    }),
    step(`POST ${batch}/jobs`, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "once" },
      spec: { template: { spec: { containers } } }
    }),
    step(`POST /apis/policy/v1/namespaces/{ns}/poddisruptionbudgets`, {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web" },
      spec: { minAvailable: 1, maxUnavailable: 1, selector: { matchLabels: labels } }
    }),
    step(`POST /apis/coordination.k8s.io/v1/namespaces/{ns}/leases`, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "leader" },
      spec: { holderIdentity: "me", leaseDurationSeconds: 15 }
    }),
    step(`POST /apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers`, {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 0 }
    })
  ],
  pods: [
    step(`POST ${core}/pods`, pod("web"), { tier: 1 }),
    step(`POST ${core}/pods`, pod("none", { containers: [] })),
    step(`POST ${core}/pods`, pod("none", { containers: [{ name: "main" }] })),
    step(`POST ${core}/pods`, pod("none", { hostNetwork: true })),
    step(`POST ${core}/pods`, pod("none", { volumes: [{ name: "host", hostPath: { path: "/" } }] })),
    step(
      `POST ${core}/pods`,
      pod("none", { containers: [{ ...containers[0], securityContext: { privileged: true } }] })
    ),
    step(
      `POST ${core}/pods`,
      pod("none", { containers: [{ ...containers[0], resources: { requests: { cpu: "9000" } } }] })
    ),
    step(
      `POST ${core}/pods`,
      pod("none", {
        containers: [{ ...containers[0], resources: { requests: { cpu: "9000" }, limits: { cpu: "9000" } } }]
      })
    ),
    step(`POST ${core}/pods`, pod("none", { priorityClassName: "system-node-critical" })),
    step(`POST ${core}/pods`, pod("none", { priorityClassName: "none" })),
    step(`POST ${core}/pods`, pod("none", { serviceAccountName: "nobody" })),
    step(`POST ${core}/pods`, pod("none", { restartPolicy: "Sometimes" })),
    merge(`${core}/pods/web`, { spec: { nodeName: "other" } }),
    merge(`${core}/pods/web`, { spec: { containers: [{ name: "main", image: "busybox", command: ["x"] }] } }),
    step(`GET ${core}/pods/none/log`),
    step(`POST ${core}/pods/none/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "none" }
    }),
    step(`POST ${core}/pods/web/binding`, { metadata: { name: "web" }, target: { kind: "Node", name: "n" } })
  ],
  "the network, storage and secrets": [
    step(`POST ${core}/services`, service("web", { selector: labels, ports: [{ port: 80 }] })),
    step(`POST ${core}/services`, service("odd", { selector: labels, ports: [{ port: 0 }] })),
    step(`POST ${core}/services`, service("odd", { selector: labels })),
    step(`POST ${core}/services`, service("1odd", { selector: labels, ports: [{ port: 80 }] })),
    step(`POST ${core}/services`, service("outside", { type: "LoadBalancer", ports: [{ port: 80 }] })),
    merge(`${core}/services/web`, { spec: { clusterIP: "10.96.0.77" } }),
    step(`POST ${core}/persistentvolumeclaims`, claim("data", "1Gi")),
    step(`POST ${core}/persistentvolumeclaims`, claim("huge", "9000Gi")),
    step(`POST ${core}/persistentvolumeclaims`, claim("odd", "one gigabyte")),
    step(`POST ${core}/persistentvolumeclaims`, claim("odd", "1Gi", { accessModes: [] })),
    merge(`${core}/persistentvolumeclaims/data`, { spec: { storageClassName: "other" } }),
    step(`POST ${core}/secrets`, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login" },
      stringData: { a: "b" }
    }),
    step(`POST ${core}/secrets`, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "odd" },
      data: { a: "not base64!" }
    }),
    step(`GET ${core}/secrets/login`),
    step(`GET ${core}/secrets/login`, undefined, { tier: 0 }),
    merge(`${core}/secrets/login`, { type: "example.org/other" }),
    step(`POST ${core}/secrets`, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "tls" },
      type: "kubernetes.io/tls",
      stringData: { a: "b" }
    }),
    step(`POST /apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies`, {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "open" },
      spec: { podSelector: {}, ingress: [{}] }
    }),
    step(`POST ${core}/serviceaccounts`, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } })
  ],
  "the platform's own objects, and foreign ones": [
    step(`GET ${core}/resourcequotas`),
    step(`GET ${core}/limitranges`),
    step(`GET /apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies`),
    step(`GET /apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings`),
    step(`GET ${core}`),
    step(`DELETE ${core}/resourcequotas/tenant-quota`),
    step(`GET /api/v1/nodes`),
    step(`GET /api/v1/namespaces`),
    step(`GET /api/v1/namespaces/kube-system/secrets`),
    step(`GET /apis/postgresql.cnpg.io/v1/namespaces/{ns}/clusters`),
    step(`GET /apis/kafka.strimzi.io/v1/namespaces/{ns}/kafkas`),
    step(`POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews`, {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { namespace: "{ns}", verb: "create", resource: "pods" } }
    }),
    step(`POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews`, {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb: "list", resource: "nodes" } }
    }),
    step(`POST /apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview"
    }),
    step(`GET /api`),
    step(`GET /apis/apps`),
    step(`GET /apis/nonesuch.example.org/v1`)
  ],
  ...more
}
