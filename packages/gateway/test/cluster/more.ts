import {
  applied,
  apps,
  configMap,
  containers,
  core,
  deployment,
  json,
  merge,
  service,
  type Step,
  step,
  strategic
} from "./ask.ts"

const watch = `${core}/configmaps?watch=1&timeoutSeconds=1`
const one = "fieldSelector=metadata.name=watched"
const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
const yaml = { headers: { "content-type": "application/yaml" } }
const web = `${apps}/deployments/listed`
const postgres = "/apis/postgresql.cnpg.io/v1/namespaces/{ns}"
const kafka = "/apis/kafka.strimzi.io/v1/namespaces/{ns}"
const administrator = { administrator: true } as const

const owned = (name: string, owner: string, blocks = false) => ({
  ...configMap(name),
  metadata: {
    name,
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid: "{uid}", blockOwnerDeletion: blocks }]
  }
})

const inTemplate = (spec: object) => ({ spec: { template: { spec } } })

const listed = {
  ...deployment("listed"),
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "main",
            image: "busybox",
            ports: [{ containerPort: 80 }],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" }
            ],
            volumeMounts: [{ name: "scratch", mountPath: "/scratch" }]
          }
        ],
        volumes: [{ name: "scratch", emptyDir: {} }]
      }
    }
  }
}

const config = (container: object, more: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "listed" },
  spec: { template: { spec: { containers: [{ name: "main", ...container }], ...more } } }
})

const scale = (replicas: number, metadata: object = {}) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "listed", ...metadata },
  spec: { replicas }
})

const cluster = (name: string, spec: object) => ({
  apiVersion: "postgresql.cnpg.io/v1",
  kind: "Cluster",
  metadata: { name },
  spec: { instances: 1, storage: { size: "1Gi" }, ...spec }
})

const topic = (name: string, spec: object) => ({
  apiVersion: "kafka.strimzi.io/v1",
  kind: "KafkaTopic",
  metadata: { name, labels: { "strimzi.io/cluster": "main" } },
  spec
})

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.org" },
  spec: {
    group: "example.org",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.count" } },
        additionalPrinterColumns: [{ name: "Color", type: "string", jsonPath: ".spec.color" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "string", minLength: 1, pattern: "^[a-z]+$" },
                  color: { type: "string", enum: ["red", "blue"], default: "red" },
                  count: { type: "integer", minimum: 1, maximum: 9, default: 1 },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, weight: { type: "integer", default: 5 } }
                    }
                  },
                  tags: { type: "array", maxItems: 2, items: { type: "string" } },
                  limits: { type: "object", additionalProperties: { type: "integer" } },
                  port: { "x-kubernetes-int-or-string": true },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true }
                }
              },
              status: { type: "object", properties: { count: { type: "integer" } } }
            }
          }
        }
      }
    ]
  }
}

const home = "/apis/example.org/v1/namespaces/{ns}/widgets"

const widget = (name: string, spec: unknown) => ({
  apiVersion: "example.org/v1",
  kind: "Widget",
  metadata: { name },
  spec
})

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

const byAdministrator = (all: ReadonlyArray<Step>): ReadonlyArray<Step> => all.map((_) => ({ ..._, ...administrator }))

/** Watches, owners, lists and custom kinds. */
export const more: Readonly<Record<string, ReadonlyArray<Step>>> = {
  watches: [
    step(`POST ${core}/configmaps`, configMap("watched")),
    step(`GET ${watch}&${one}`),
    step(`GET ${watch}&${one}&resourceVersion=0`),
    merge(`${core}/configmaps/watched`, { metadata: { labels: { app: "seen" } } }),
    step(`GET ${watch}&${one}&resourceVersion={version}`),
    merge(`${core}/configmaps/watched`, { data: { color: "blue" } }),
    step(`GET ${watch}&${one}&${initial}`),
    step(`GET ${watch}&${one}&${initial}&resourceVersion=0`),
    step(`GET ${watch}&${one}&sendInitialEvents=true`),
    step(`GET ${watch}&${one}&resourceVersionMatch=NotOlderThan`),
    step(`GET ${watch}&${one}&resourceVersionMatch=Exact&sendInitialEvents=true`),
    step(`GET ${watch}&resourceVersion=x`),
    step(`GET ${watch}&timeoutSeconds=x`),
    step(`GET ${watch}&${one}`, undefined, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } }),
    step(`GET ${watch}&${one}`, undefined, {
      headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" }
    }),
    step(`GET /api/v1/watch/namespaces/{ns}/configmaps/watched?timeoutSeconds=1`),
    step(`GET /api/v1/configmaps?watch=1&timeoutSeconds=1`)
  ],
  "changes since a version": [
    step(`POST ${core}/configmaps`, { ...configMap("first"), metadata: { name: "first", labels: { app: "after" } } }),
    merge(`${core}/configmaps/first`, { data: { color: "blue" } }),
    merge(`${core}/configmaps/first`, { metadata: { labels: { app: "gone" } } }),
    step(`DELETE ${core}/configmaps/first`),
    step(`POST ${core}/configmaps`, { ...configMap("mark"), metadata: { name: "mark", labels: { app: "after" } } }),
    merge(`${core}/configmaps/mark`, { data: { color: "blue" } }),
    step(`GET ${watch}&labelSelector=app=after&resourceVersion={version}`),
    step(`GET ${core}/configmaps?labelSelector=app=after&resourceVersion={version}&resourceVersionMatch=Exact`),
    step(`GET ${core}/configmaps?labelSelector=app=after&resourceVersion={version}&resourceVersionMatch=NotOlderThan`),
    step(`GET ${core}/configmaps?limit=1&labelSelector=app=after`),
    step(`GET ${core}/configmaps?sendInitialEvents=true`)
  ],
  "deletion of many": [
    ...["a", "b", "c"].map((name) =>
      step(`POST ${core}/configmaps`, { ...configMap(name), metadata: { name, labels: { app: "many" } } })
    ),
    step(`DELETE ${core}/configmaps?labelSelector=app=many&dryRun=All`),
    step(`DELETE ${core}/configmaps?labelSelector=app=many&propagationPolicy=Sideways`),
    merge(`${core}/configmaps/b`, { metadata: { finalizers: ["example.org/hold"] } }),
    step(`DELETE ${core}/configmaps?labelSelector=app=many`),
    step(`GET ${core}/configmaps?labelSelector=app=many`),
    merge(`${core}/configmaps/b`, { metadata: { finalizers: [] } }),
    step(`DELETE ${core}/services?labelSelector=app=many`),
    step(`DELETE ${core}/configmaps?fieldSelector=metadata.name=none`)
  ],
  owners: [
    step(`POST ${core}/configmaps`, configMap("owner")),
    step(`POST ${core}/configmaps`, owned("dependent", "owner")),
    step(`GET ${core}/configmaps/owner`),
    step(`DELETE ${core}/configmaps/owner?propagationPolicy=Background`),
    step(`GET ${core}/configmaps/dependent`, undefined, { until: 404 }),
    step(`POST ${core}/configmaps`, configMap("owner")),
    step(`POST ${core}/configmaps`, owned("kept", "owner")),
    step(`DELETE ${core}/configmaps/owner`, { propagationPolicy: "Orphan" }),
    step(`GET ${core}/configmaps/owner`, undefined, { until: 404 }),
    step(`GET ${core}/configmaps/kept`),
    step(`POST ${core}/configmaps`, configMap("owner")),
    step(`POST ${core}/configmaps`, owned("blocking", "owner", true)),
    step(`DELETE ${core}/configmaps/owner`, { propagationPolicy: "Foreground" }),
    step(`GET ${core}/configmaps/owner`, undefined, { until: 404 }),
    step(`GET ${core}/configmaps/blocking`),
    step(`POST ${core}/configmaps`, {
      ...configMap("odd"),
      metadata: { name: "odd", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x" }] }
    }),
    step(`POST ${core}/configmaps`, {
      ...configMap("odd"),
      metadata: {
        name: "odd",
        ownerReferences: ["x", "y"].map((uid) => ({ apiVersion: "v1", kind: "Pod", name: uid, uid, controller: true }))
      }
    })
  ],
  "names and sizes": [
    step(`POST ${core}/configmaps`, { ...configMap("x"), metadata: { generateName: "gen-" } }),
    step(`POST ${core}/configmaps`, { ...configMap("x"), metadata: { generateName: "Gen_" } }),
    step(`POST ${core}/configmaps`, configMap("large", { text: "x".repeat(1024 * 1024 + 1) })),
    step(`POST ${core}/configmaps`, { ...configMap("odd"), metadata: { name: "odd", labels: { "a b": "c" } } }),
    step(`POST ${core}/configmaps`, { ...configMap("odd"), metadata: { name: "odd", labels: { a: "b c" } } }),
    step(`POST ${core}/configmaps`, { ...configMap("odd"), metadata: { name: "odd", annotations: { "a b": "c" } } }),
    step(`POST ${core}/configmaps`, { ...configMap("odd"), metadata: { name: "odd", finalizers: ["odd"] } }),
    step(`POST ${core}/configmaps`, { ...configMap("odd"), metadata: { name: "odd", resourceVersion: "5" } }),
    step(`POST ${core}/configmaps`, { ...configMap("odd"), metadata: { name: "odd", creationTimestamp: "yesterday" } }),
    step(`POST ${core}/configmaps`, "[]", { headers: { "content-type": "application/json" } }),
    step(`POST ${core}/configmaps`, "", { headers: { "content-type": "application/json" } }),
    step(`POST ${core}/configmaps`, configMap("bytes", undefined)),
    step(`POST /apis/networking.k8s.io/v1/namespaces/{ns}/ingresses`, {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: "web" },
      spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } }
    })
  ],
  YAML: [
    step(`POST ${core}/configmaps`, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: b\n", yaml),
    step(`POST ${core}/configmaps`, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: odd\ndata:\n  a: 1\n", yaml),
    step(`POST ${core}/configmaps`, "a: b: c", yaml),
    step(`POST ${core}/configmaps`, "apiVersion: v1\nkind: Nonesuch\n", yaml),
    step(`PUT ${core}/configmaps/yaml`, "metadata:\n  name: yaml\ndata:\n  c: d\n", yaml),
    step(`GET ${core}/configmaps/yaml`),
    applied(`${core}/configmaps/yaml?fieldManager=me`, "apiVersion: v1\nkind: ConfigMap\ndata:\n  e: f\n")
  ],
  "dry runs": [
    merge(`${core}/configmaps/yaml?dryRun=All`, { data: { dry: "run" } }),
    step(`PUT ${core}/configmaps/yaml?dryRun=All`, configMap("yaml", { dry: "run" })),
    applied(`${core}/configmaps/yaml?dryRun=All&fieldManager=dry`, configMap("yaml", { dry: "run" })),
    applied(`${core}/configmaps/none?dryRun=All&fieldManager=dry`, configMap("none", { dry: "run" })),
    step(`POST ${apps}/deployments?dryRun=All`, deployment("dry")),
    step(`POST ${core}/services?dryRun=All`, service("dry", { ports: [{ port: 80 }] })),
    merge(`${apps}/deployments/web/scale?dryRun=All`, { spec: { replicas: 1 } }),
    step(`DELETE ${core}/configmaps/yaml`, { dryRun: ["All"] }),
    step(`DELETE ${core}/configmaps/yaml`, { dryRun: ["Some"] }),
    step(`GET ${core}/configmaps/yaml`)
  ],
  "strategic merges": [
    step(`POST ${apps}/deployments`, listed),
    strategic(web, inTemplate({ containers: [{ name: "main", env: [{ name: "B", $patch: "delete" }] }] })),
    strategic(
      web,
      inTemplate({ containers: [{ name: "main", env: [{ $patch: "replace" }, { name: "C", value: "3" }] }] })
    ),
    strategic(web, inTemplate({ containers: [{ name: "main", ports: [{ containerPort: 443, name: "https" }] }] })),
    strategic(
      web,
      inTemplate({ volumes: [{ name: "scratch", configMap: { name: "x" }, $retainKeys: ["name", "configMap"] }] })
    ),
    strategic(web, { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
    strategic(web, inTemplate({ containers: [{ image: "busybox" }] })),
    strategic(web, inTemplate({ nodeSelector: { $patch: "replace", a: "b" } })),
    strategic(web, { metadata: { finalizers: ["example.org/a", "example.org/b"] } }),
    strategic(web, { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.org/a"] } }),
    strategic(web, { metadata: { $patch: "delete" } }),
    strategic(web, { spec: { replicas: "one" } }),
    merge(web, { spec: { replicas: "one" } }),
    merge(web, { metadata: { finalizers: null } }),
    strategic(web, {
      spec: {
        template: {
          spec: {
            "$setElementOrder/containers": [{ name: "main" }, { name: "last" }],
            containers: [{ name: "last", image: "busybox" }]
          }
        }
      }
    })
  ],
  "applied lists": [
    applied(`${web}?fieldManager=lists`, config({ env: [{ name: "D", value: "4" }] })),
    applied(`${web}?fieldManager=lists`, config({ ports: [{ containerPort: 80 }, { containerPort: 81 }] })),
    applied(`${web}?fieldManager=lists`, config({ image: "other" })),
    applied(`${web}?fieldManager=lists&force=true`, config({ image: "other", args: ["a"] })),
    applied(
      `${web}?fieldManager=lists`,
      config({ image: "other", volumeMounts: [{ name: "scratch", mountPath: "/s" }] })
    ),
    applied(`${web}?fieldManager=lists`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "listed", labels: { by: "apply" }, annotations: { note: "x" } }
    }),
    applied(`${web}?fieldManager=lists`, { ...config({}), spec: { template: { spec: { containers, nodeName: 1 } } } }),
    applied(`${web}?fieldManager=lists`, { ...config({}), spec: { nonesuch: true } }),
    applied(`${web}?fieldManager=lists`, "{"),
    applied(`${web}?fieldManager=lists`, { kind: "Deployment", metadata: { name: "listed" } })
  ],
  scales: [
    step(`PUT ${web}/scale`, scale(0)),
    step(`PUT ${web}/scale`, scale(0, { resourceVersion: "1" })),
    step(`PUT ${web}/scale`, scale(-1)),
    step(`PUT ${web}/scale`, scale(0, { name: "other" })),
    merge(`${web}/scale`, { spec: { replicas: 0 } }),
    step(`GET ${apps}/deployments/none/scale`),
    step(`POST ${web}/scale`, scale(0)),
    step(`DELETE ${web}?propagationPolicy=Foreground`),
    step(`GET ${web}`, undefined, { until: 404 }),
    step(`DELETE ${apps}/deployments/web?propagationPolicy=Orphan`),
    step(`GET ${apps}/deployments/web`, undefined, { until: 404 })
  ],
  "custom kinds": [
    step(`POST ${postgres}/clusters`, cluster("odd", { instances: "one" }), administrator),
    step(`POST ${postgres}/clusters`, cluster("odd", { instances: 0 }), administrator),
    step(`POST ${postgres}/clusters`, { ...cluster("odd", {}), kind: "Backup" }, administrator),
    step(`POST ${postgres}/clusters`, { ...cluster("odd", {}), apiVersion: "postgresql.cnpg.io/v2" }, administrator),
    step(`POST ${postgres}/clusters`, { ...cluster("odd", {}), kind: undefined }, administrator),
    step(`GET ${postgres}/clusters/none`, undefined, administrator),
    step(`GET ${postgres}/clusters/none/status`, undefined, administrator),
    step(`GET ${postgres}/nonesuch`, undefined, administrator),
    step(`GET /apis/postgresql.cnpg.io/v2/namespaces/{ns}/clusters`, undefined, administrator),
    step(`POST ${kafka}/kafkatopics`, topic("events", { partitions: 3, replicas: 1 }), administrator),
    step(`POST ${kafka}/kafkatopics`, topic("odd", { partitions: "three" }), administrator),
    step(`POST ${kafka}/kafkatopics`, topic("odd", { partitions: 0 }), administrator),
    step(`POST ${kafka}/kafkatopics?fieldValidation=Strict`, topic("odd", { nonesuch: 1 }), administrator),
    step(`POST ${kafka}/kafkatopics`, topic("pruned", { partitions: 1, nonesuch: 1 }), administrator),
    step(`PUT ${kafka}/kafkatopics/events`, topic("events", { partitions: 4 }), administrator),
    { ...merge(`${kafka}/kafkatopics/events`, { spec: { partitions: 5 } }), administrator: true },
    { ...strategic(`${kafka}/kafkatopics/events`, { spec: { partitions: 5 } }), administrator: true },
    { ...merge(`${kafka}/kafkatopics/events`, { spec: { partitions: 0 } }), administrator: true },
    {
      ...applied(`${kafka}/kafkatopics/applied?fieldManager=me`, topic("applied", { config: { "retention.ms": 1 } })),
      administrator: true
    },
    step(`GET ${kafka}/kafkatopics/events`, undefined, {
      ...administrator,
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
    }),
    step(`GET ${kafka}/kafkatopics/events`, undefined, { ...administrator, headers: { accept: "text/html" } }),
    step(`DELETE ${kafka}/kafkatopics?labelSelector=strimzi.io/cluster=main`, undefined, administrator)
  ],
  "kinds of one definition": byAdministrator([
    step(`POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All`, definition),
    step(`POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions`, definition),
    step(`GET ${home}`, undefined, { until: 200 }),
    step(`POST ${home}`, widget("one", { size: "small", parts: [{ name: "a" }], free: { x: [1] }, port: "http" })),
    step(`POST ${home}`, widget("odd", {})),
    step(`POST ${home}`, widget("odd", { size: 1 })),
    step(`POST ${home}`, widget("odd", { size: "" })),
    step(`POST ${home}`, widget("odd", { size: "LARGE" })),
    step(`POST ${home}`, widget("odd", { size: "small", color: "green" })),
    step(`POST ${home}`, widget("odd", { size: "small", count: 0 })),
    step(`POST ${home}`, widget("odd", { size: "small", count: 10 })),
    step(`POST ${home}`, widget("odd", { size: "small", count: 1.5 })),
    step(`POST ${home}`, widget("odd", { size: null })),
    step(`POST ${home}`, widget("odd", { size: "small", tags: ["a", "b", "c"] })),
    step(`POST ${home}`, widget("odd", { size: "small", tags: "a" })),
    step(`POST ${home}`, widget("odd", { size: "small", tags: [1] })),
    step(`POST ${home}`, widget("odd", { size: "small", limits: { a: "b" } })),
    step(`POST ${home}`, widget("odd", { size: "small", port: true })),
    step(`POST ${home}`, widget("odd", { size: "small", parts: [{ weight: 1 }] })),
    step(`POST ${home}`, widget("odd", { size: "small", parts: [{ name: "a" }, { name: "a" }] })),
    step(`POST ${home}`, widget("odd", "none")),
    step(`POST ${home}?fieldValidation=Strict`, widget("odd", { size: "small", parts: [{ name: "a", nonesuch: 1 }] })),
    step(`POST ${home}`, widget("pruned", { size: "small", nonesuch: { a: 1 }, color: null })),
    step(`POST ${home}`, widget("one", { size: "small" })),
    step(`POST ${home}`, "{", { headers: { "content-type": "application/json" } }),
    step(`POST ${home}`, "x", { headers: { "content-type": "text/plain" } }),
    merge(`${home}/one`, { spec: { count: 2 } }),
    merge(`${home}/one`, { spec: { count: 0 } }),
    merge(`${home}/one`, { spec: { nonesuch: 0 } }),
    strategic(`${home}/one`, { spec: { count: 2 } }),
    json(`${home}/one`, [{ op: "add", path: "/spec/tags", value: ["a"] }]),
    json(`${home}/one`, [{ op: "remove", path: "/spec/none" }]),
    applied(`${home}/one?fieldManager=me`, widget("one", { parts: [{ name: "b", weight: 1 }] })),
    applied(`${home}/one?fieldManager=me`, widget("one", { parts: [{ name: "b", weight: 2 }], color: "blue" })),
    applied(`${home}/one?fieldManager=me&force=true`, widget("one", { color: "blue" })),
    applied(`${home}/one?fieldManager=me`, widget("one", { nonesuch: 1 })),
    applied(`${home}/new?fieldManager=me`, widget("new", { size: "small" })),
    step(`PUT ${home}/one`, widget("one", { size: "large" })),
    step(`PUT ${home}/one/status`, { ...widget("one", { size: "x" }), status: { count: 3 } }),
    merge(`${home}/one/status`, { status: { count: 3 }, spec: { size: "changed" } }),
    merge(`${home}/one/status`, { status: { count: "x" } }),
    step(`GET ${home}/one/scale`),
    merge(`${home}/one/scale`, { spec: { replicas: 4 } }),
    step(`GET ${home}/one`),
    step(`GET ${home}?limit=1`),
    step(`GET ${home}/one`, undefined, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } }),
    step(`GET ${home}?watch=1&timeoutSeconds=1&${initial}&fieldSelector=metadata.name=one`),
    step(`GET ${home}?fieldSelector=spec.size=small`),
    step(`GET /apis/example.org/v1`),
    step(`DELETE ${home}/one`, { preconditions: { uid: "not-mine" } }),
    step(`DELETE ${home}/one`),
    step(`DELETE ${home}`),
    step(`DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.org`),
    step(`GET ${home}`, undefined, { until: 404 })
  ]),
  discovery: [
    step(`GET /version`),
    step(`GET /api`, undefined, { headers: { accept: aggregated } }),
    step(`GET /apis`, undefined, { headers: { accept: aggregated } }),
    step(`GET /api/v1`),
    step(`GET /apis/apps/v1`),
    step(`GET /apis/batch/v1`),
    step(`GET /apis/autoscaling/v2`),
    step(`GET /apis/policy/v1`),
    step(`GET /apis/coordination.k8s.io/v1`),
    step(`GET /apis/networking.k8s.io/v1`),
    step(`GET /apis/postgresql.cnpg.io/v1`),
    step(`GET /apis/kafka.strimzi.io/v1`),
    step(`GET /apis/postgresql.cnpg.io`),
    step(`GET /apis/coordination.k8s.io/v1beta9`)
  ]
}
