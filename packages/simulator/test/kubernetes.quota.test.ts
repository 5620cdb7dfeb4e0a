import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { kube, patch, podOf } from "./kube.ts"

const v1 = "/api/v1/namespaces/default"
const Memory = SimulatedCloud.layerMemory

const quota = (hard: Readonly<Record<string, string>>) =>
  kube("POST", `${v1}/resourcequotas`, { json: { metadata: { name: "q" }, spec: { hard } } })

const claim = (name: string, storage: string) =>
  kube("POST", `${v1}/persistentvolumeclaims`, {
    json: { metadata: { name }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } } }
  })

const used = Effect.map(kube("GET", `${v1}/resourcequotas/q`), (_) => _.json.status.used)

it.effect("a quota counts claims and storage, refuses an excess, and frees removed ones", () =>
  Effect.gen(function* () {
    yield* quota({ persistentvolumeclaims: "2", "requests.storage": "100Gi", "count/configmaps": "1" })
    assert.deepStrictEqual(yield* used, {
      persistentvolumeclaims: "0",
      "requests.storage": "0",
      "count/configmaps": "1"
    })
    assert.strictEqual((yield* claim("a", "60Gi")).status, 201)
    const big = yield* claim("b", "50Gi")
    assert.deepStrictEqual(
      [big.status, big.json.reason, big.json.message],
      [
        403,
        "Forbidden",
        'persistentvolumeclaims "b" is forbidden: exceeded quota: q, requested: requests.storage=50Gi, used: ' +
          "requests.storage=60Gi, limited: requests.storage=100Gi"
      ]
    )
    assert.strictEqual((yield* claim("b", "40960Mi")).status, 201)
    assert.deepInclude(yield* used, { persistentvolumeclaims: "2", "requests.storage": "100Gi" })
    assert.include(
      (yield* claim("c", "1Gi")).json.message,
      "requested: persistentvolumeclaims=1,requests.storage=1Gi, used: persistentvolumeclaims=2,requests.storage=100Gi"
    )
    yield* TestClock.adjust("1 second")
    const grow = (storage: string) =>
      patch(`${v1}/persistentvolumeclaims/a`, "merge", { spec: { resources: { requests: { storage } } } })
    assert.include((yield* grow("61Gi")).json.message, "requested: requests.storage=1Gi, used: requests.storage=100Gi")
    const label = patch(`${v1}/persistentvolumeclaims/a`, "merge", { metadata: { labels: { a: "b" } } })
    assert.strictEqual((yield* label).status, 200)
    // What does not grow is not refused, even where there is too much already.
    yield* patch(`${v1}/resourcequotas/q`, "merge", { spec: { hard: { "requests.storage": "50Gi" } } })
    const again = yield* patch(`${v1}/persistentvolumeclaims/a`, "merge", { metadata: { labels: { a: "c" } } })
    assert.strictEqual(again.status, 200)
    yield* patch(`${v1}/resourcequotas/q`, "merge", { spec: { hard: { "requests.storage": "100Gi" } } })
    yield* kube("DELETE", `${v1}/persistentvolumeclaims/b`)
    yield* TestClock.adjust("2 seconds")
    assert.deepInclude(yield* used, { persistentvolumeclaims: "1", "requests.storage": "60Gi" })
    assert.strictEqual((yield* grow("61Gi")).status, 200)
  }).pipe(Effect.provide(Memory))
)

it.effect.each([
  { limited: { "requests.storage": "1Gi" }, used: { "requests.storage": "1Gi" } },
  {
    limited: { "rbd.storageclass.storage.k8s.io/persistentvolumeclaims": "1" },
    used: { "rbd.storageclass.storage.k8s.io/persistentvolumeclaims": "1" }
  },
  { limited: { "limits.memory": "1Gi" }, used: { "limits.memory": "1Gi" } },
  { limited: { cpu: "1" }, used: { cpu: "1" } },
  { limited: { "services.loadbalancers": "1" }, used: { "services.loadbalancers": "1" } },
  { limited: { "count/secrets": "1" }, used: { "count/secrets": "1" } }
])("a quota of a single resource counts it: $used", ({ limited, used: expected }) =>
  Effect.gen(function* () {
    yield* quota(limited)
    const resources = { requests: { cpu: "1" }, limits: { cpu: "1", memory: "1Gi" } }
    const service = { metadata: { name: "a" }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } }
    const answers = [
      yield* claim("a", "1Gi"),
      yield* kube("POST", `${v1}/pods`, { json: podOf("a", { resources }) }),
      yield* kube("POST", `${v1}/services`, { json: service }),
      yield* kube("POST", `${v1}/secrets`, { json: { metadata: { name: "a" } } })
    ]
    assert.deepStrictEqual(
      answers.map((_) => _.status),
      [201, 201, 201, 201]
    )
    assert.deepStrictEqual(yield* used, expected)
  }).pipe(Effect.provide(Memory))
)

it.effect("a quota of compute requires each container's resources, which limit ranges default", () =>
  Effect.gen(function* () {
    yield* quota({ "requests.cpu": "1", "limits.memory": "1Gi", pods: "5" })
    const pod = (name: string, container = {}) => kube("POST", `${v1}/pods`, { json: podOf(name, container) })
    assert.strictEqual(
      (yield* pod("a")).json.message,
      'pods "a" is forbidden: failed quota: q: must specify limits.memory for: app; requests.cpu for: app'
    )
    yield* kube("POST", `${v1}/limitranges`, {
      json: {
        metadata: { name: "defaults" },
        spec: {
          limits: [
            {
              type: "Container",
              defaultRequest: { cpu: "50m", memory: "128Mi" },
              default: { cpu: "500m", memory: "512Mi" },
              max: { memory: "768Mi" }
            }
          ]
        }
      }
    })
    const made = yield* pod("a")
    assert.deepStrictEqual(made.json.spec.containers[0].resources, {
      limits: { cpu: "500m", memory: "512Mi" },
      requests: { cpu: "50m", memory: "128Mi" }
    })
    assert.deepStrictEqual(yield* used, { "requests.cpu": "50m", "limits.memory": "512Mi", pods: "1" })
    const limited = yield* pod("b", { resources: { limits: { cpu: "200m", memory: "256Mi" } } })
    assert.deepStrictEqual(limited.json.spec.containers[0].resources.requests, { cpu: "200m", memory: "256Mi" })
    assert.include(
      (yield* pod("c")).json.message,
      "exceeded quota: q, requested: limits.memory=512Mi, used: limits.memory=768Mi"
    )
    const over = yield* pod("d", { resources: { limits: { memory: "800Mi" } } })
    assert.include(over.json.message, "maximum memory usage per Container is 768Mi, but limit is 800Mi")
    const upside = yield* pod("e", { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } })
    assert.include(upside.json.message, 'requests: Invalid value: "2": must be less than or equal to cpu limit of 1')
  }).pipe(Effect.provide(Memory))
)

it.effect("a refused object is not stored, and is refused again on each attempt", () =>
  Effect.gen(function* () {
    yield* quota({ "count/clusters.postgresql.cnpg.io": "1" })
    const cluster = (name: string) =>
      kube("POST", "/apis/postgresql.cnpg.io/v1/namespaces/default/clusters", {
        json: {
          apiVersion: "postgresql.cnpg.io/v1",
          kind: "Cluster",
          metadata: { name },
          spec: { storage: { size: "1Gi" } }
        }
      })
    const statuses = yield* Effect.forEach(["a", "b", "c"], (_) => Effect.map(cluster(_), (answer) => answer.status), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(statuses.toSorted(), [201, 403, 403])
    assert.deepStrictEqual(yield* used, { "count/clusters.postgresql.cnpg.io": "1" })
  }).pipe(Effect.provide(Memory))
)
