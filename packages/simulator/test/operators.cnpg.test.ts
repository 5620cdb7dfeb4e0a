import { assert, it } from "@effect/vitest"
import { fail, heal } from "@portico/simulator/kubernetes/operators/faults"
import { put } from "@portico/simulator/kubernetes/store"
import { upgradeCluster } from "@portico/simulator/kubernetes/upgrade"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { makeWorld } from "@portico/simulator/World"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { kube } from "./kube.ts"
import {
  change,
  clusterOf,
  eventsOf,
  get,
  inNamespace,
  makeCluster,
  namespace,
  names,
  pathOf,
  seen,
  statusOf
} from "./operators.ts"

const Memory = SimulatedCloud.layerMemory

const standing = Effect.map(statusOf("clusters", "orders"), (_) => [_.phase ?? "", _.readyInstances ?? 0])

const used = Effect.map(get("resourcequotas", "tenant-quota"), (_) => _.status.used)

const healthy = ["Cluster in healthy state", 1]

it.effect("a cluster gets its primary, then one replica after the other, and is healthy", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    const made = yield* makeCluster("orders", { instances: 3 })
    assert.deepStrictEqual([made.status, made.json.status], [201, undefined])
    assert.deepStrictEqual(made.json.spec.bootstrap.initdb, {
      database: "app",
      owner: "app",
      encoding: "UTF8",
      localeCollate: "C",
      localeCType: "C"
    })
    assert.deepStrictEqual(yield* seen(30, standing), [
      ["Setting up primary", 0],
      ["Creating a new replica", 1],
      ["Creating a new replica", 2],
      ["Cluster in healthy state", 3]
    ])
    const { conditions, ...status } = yield* statusOf("clusters", "orders")
    assert.deepInclude(status, {
      instances: 3,
      instanceNames: ["orders-1", "orders-2", "orders-3"],
      currentPrimary: "orders-1",
      targetPrimary: "orders-1",
      pvcCount: 3,
      healthyPVC: ["orders-1", "orders-2", "orders-3"],
      image: "ghcr.io/cloudnative-pg/postgresql:17.6-system-trixie",
      writeService: "orders-rw",
      latestGeneratedNode: 3
    })
    assert.deepInclude(conditions[0], { type: "Ready", status: "True", reason: "ClusterIsReady" })
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), ["orders-1", "orders-2", "orders-3"])
    assert.deepStrictEqual(yield* names("services"), ["orders-r", "orders-ro", "orders-rw"])
    assert.deepStrictEqual(yield* names("jobs"), [])
    assert.deepInclude(yield* used, { persistentvolumeclaims: "3", "requests.storage": "60Gi" })
    assert.deepStrictEqual(yield* eventsOf("Cluster"), [
      "Normal CreatingInstance: Primary instance (initdb)",
      "Normal CreatingInstance: Creating instance orders-2",
      "Normal CreatingInstance: Creating instance orders-3"
    ])
  }).pipe(Effect.provide(Memory))
)

const credentials = Effect.map(get("secrets", "orders-app"), (_): Record<string, string> =>
  Object.fromEntries(
    Object.entries<string>(_.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString()])
  )
)

it.effect("the application's secret is consistent in every field, and recreated when it is deleted", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders", { bootstrap: { initdb: { database: "shop", owner: "clerk" } } })
    assert.strictEqual((yield* kube("GET", pathOf("secrets", "orders-app"))).status, 404)
    yield* TestClock.adjust("1 second")
    const { password = "", ...rest } = yield* credentials
    assert.match(password, /^[A-Za-z0-9]{64}$/)
    assert.deepStrictEqual(rest, {
      username: "clerk",
      user: "clerk",
      dbname: "shop",
      host: "orders-rw",
      port: "5432",
      pgpass: `orders-rw:5432:shop:clerk:${password}\n`,
      uri: `postgresql://clerk:${password}@orders-rw.${namespace}:5432/shop`,
      "jdbc-uri": `jdbc:postgresql://orders-rw.${namespace}:5432/shop?password=${password}&user=clerk`,
      "fqdn-uri": `postgresql://clerk:${password}@orders-rw.${namespace}.svc.cluster.local:5432/shop`,
      "fqdn-jdbc-uri": `jdbc:postgresql://orders-rw.${namespace}.svc.cluster.local:5432/shop?password=${password}&user=clerk`
    })
    const secret = yield* get("secrets", "orders-app")
    assert.deepStrictEqual(
      [secret.type, secret.metadata.labels["cnpg.io/reload"]],
      ["kubernetes.io/basic-auth", "true"]
    )
    yield* TestClock.adjust("20 seconds")
    yield* kube("DELETE", pathOf("secrets", "orders-app"))
    assert.strictEqual((yield* kube("GET", pathOf("secrets", "orders-app"))).status, 404)
    yield* TestClock.adjust("1 second")
    const renewed = yield* credentials
    assert.notStrictEqual(renewed["password"], password)
    assert.include(renewed["uri"], renewed["password"])
    assert.deepStrictEqual(yield* standing, healthy)
  }).pipe(Effect.provide(Memory))
)

it.effect("a quota without room for the volume is reported in an event, and the cluster begins later", () =>
  Effect.gen(function* () {
    yield* inNamespace("10Gi")
    yield* makeCluster("orders")
    yield* TestClock.adjust("5 seconds")
    const words =
      'unable to create a PVC: orders-1 for this node (nodeSerial: 1): persistentvolumeclaims "orders-1" is forbidden: ' +
      "exceeded quota: tenant-quota, requested: requests.storage=20Gi, used: requests.storage=0, limited: requests.storage=10Gi"
    const status = yield* statusOf("clusters", "orders")
    assert.deepStrictEqual([status.phase, status.phaseReason], ["Unable to create required cluster objects", words])
    assert.deepStrictEqual(yield* eventsOf("Cluster"), [`Warning FailedCreate: ${words}`])
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), [])
    yield* change("resourcequotas", "tenant-quota", { spec: { hard: { "requests.storage": "40Gi" } } })
    yield* TestClock.adjust("80 seconds")
    assert.deepStrictEqual(yield* standing, healthy)
  }).pipe(Effect.provide(Memory))
)

it.effect("a replica without room leaves the primary running", () =>
  Effect.gen(function* () {
    yield* inNamespace("100Gi", "1")
    yield* makeCluster("orders", { instances: 2 })
    yield* TestClock.adjust("40 seconds")
    assert.deepStrictEqual(yield* standing, ["Creating a new replica", 1])
    assert.include(
      (yield* eventsOf("Cluster")).at(-1),
      "requested: persistentvolumeclaims=1, used: persistentvolumeclaims=1"
    )
  }).pipe(Effect.provide(Memory))
)

it.effect("volumes grow in place; a growth refused by the quota is retried until there is room", () =>
  Effect.gen(function* () {
    yield* inNamespace("50Gi")
    yield* makeCluster("orders", { instances: 2 })
    yield* TestClock.adjust("30 seconds")
    const grow = (size: string) => change("clusters", "orders", { spec: { storage: { size } } })
    yield* grow("25Gi")
    const looks = yield* seen(
      5,
      Effect.map(statusOf("clusters", "orders"), (_) => [_.phase, _.resizingPVC ?? []])
    )
    assert.deepStrictEqual(looks, [
      ["Cluster in healthy state", ["orders-1", "orders-2"]],
      ["Cluster in healthy state", []]
    ])
    assert.deepInclude(yield* used, { "requests.storage": "50Gi" })
    yield* grow("30Gi")
    yield* TestClock.adjust("5 seconds")
    for (const name of ["orders-1", "orders-2"]) {
      assert.include(
        yield* eventsOf("Cluster"),
        `Warning FailedCreate: persistentvolumeclaims "${name}" is forbidden: exceeded quota: tenant-quota, ` +
          "requested: requests.storage=5Gi, used: requests.storage=50Gi, limited: requests.storage=50Gi"
      )
    }
    yield* change("resourcequotas", "tenant-quota", { spec: { hard: { "requests.storage": "60Gi" } } })
    yield* TestClock.adjust("70 seconds")
    assert.deepInclude(yield* used, { "requests.storage": "60Gi" })
  }).pipe(Effect.provide(Memory))
)

it.effect("scaling down removes the newest instance with its volume; scaling up takes new numbers", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders", { instances: 3 })
    yield* TestClock.adjust("40 seconds")
    yield* change("clusters", "orders", { spec: { instances: 1 } })
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(yield* standing, healthy)
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), ["orders-1"])
    assert.deepStrictEqual((yield* names("pods")).length, 1)
    assert.deepInclude(yield* used, { persistentvolumeclaims: "1", "requests.storage": "20Gi" })
    yield* change("clusters", "orders", { spec: { instances: 2 } })
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), ["orders-1", "orders-4"])
  }).pipe(Effect.provide(Memory))
)

it.effect("a deleted primary's pod fails over to another instance, or is recreated", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders", { instances: 2 })
    yield* TestClock.adjust("30 seconds")
    yield* kube("DELETE", pathOf("pods", "orders-1"))
    const phases = yield* seen(
      15,
      Effect.map(statusOf("clusters", "orders"), (_) => [_.phase, _.currentPrimary])
    )
    assert.deepStrictEqual(phases, [
      ["Failing over", "orders-2"],
      ["Cluster in healthy state", "orders-2"]
    ])
    yield* change("clusters", "orders", { spec: { instances: 1 } })
    yield* TestClock.adjust("10 seconds")
    yield* kube("DELETE", pathOf("pods", "orders-2"))
    yield* TestClock.adjust("3 seconds")
    assert.deepStrictEqual(yield* standing, ["Waiting for the instances to become active", 0])
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* standing, healthy)
  }).pipe(Effect.provide(Memory))
)

it.effect("a new image is rolled out, the primary last", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders", { instances: 2 })
    yield* TestClock.adjust("30 seconds")
    yield* change("clusters", "orders", { spec: { imageName: "ghcr.io/cloudnative-pg/postgresql:17.7-system-trixie" } })
    const reasons = yield* seen(
      30,
      Effect.map(statusOf("clusters", "orders"), (_) => [_.phase, _.phaseReason])
    )
    assert.deepStrictEqual(reasons, [
      ["Upgrading cluster", "Upgrading instance orders-2"],
      ["Upgrading cluster", "Upgrading instance orders-1"],
      ["Failing over", "Failing over from orders-1 to orders-2"],
      ["Cluster in healthy state", ""]
    ])
    assert.strictEqual((yield* statusOf("clusters", "orders")).pgDataImageInfo.majorVersion, 17)
  }).pipe(Effect.provide(Memory))
)

it.effect("a cluster is removed with its own objects, and others stay", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders", { instances: 2 })
    yield* makeCluster("other")
    yield* kube("POST", pathOf("configmaps"), { json: { metadata: { name: "mine" } } })
    yield* TestClock.adjust("40 seconds")
    yield* kube("DELETE", pathOf("clusters", "orders"))
    assert.include(yield* names("persistentvolumeclaims"), "orders-1")
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), ["other-1"])
    assert.deepStrictEqual(yield* names("services"), ["other-r", "other-ro", "other-rw"])
    assert.deepStrictEqual(yield* names("secrets"), ["other-app", "other-ca", "other-replication", "other-server"])
    assert.deepStrictEqual(yield* names("pods"), ["other-1"])
    assert.include(yield* names("configmaps"), "mine")
    assert.deepInclude(yield* used, { persistentvolumeclaims: "1" })
  }).pipe(Effect.provide(Memory))
)

it.effect("an orphaning delete keeps dependents, and objects without a living owner are removed", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders")
    yield* TestClock.adjust("20 seconds")
    yield* kube("DELETE", pathOf("clusters", "orders"), { json: { propagationPolicy: "Orphan" } })
    yield* kube("POST", pathOf("configmaps"), {
      json: {
        metadata: {
          name: "lost",
          ownerReferences: [
            { apiVersion: "v1", kind: "Pod", name: "gone", uid: "00000000-0000-4000-8000-000000000000" }
          ]
        }
      }
    })
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* names("persistentvolumeclaims"), ["orders-1"])
    assert.notInclude(yield* names("configmaps"), "lost")
  }).pipe(Effect.provide(Memory))
)

it.effect("a test can break a cluster, which only its status shows, and heal it", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders")
    yield* TestClock.adjust("20 seconds")
    const { state, world } = yield* SimulatedCloud
    const phase = "Cluster is unrecoverable and needs manual intervention"
    assert.isTrue(fail(world.kubernetes, { namespace, name: "orders" }, phase, "the disk is gone"))
    assert.isFalse(fail(world.kubernetes, { namespace, name: "absent" }, phase, ""))
    const status = yield* statusOf("clusters", "orders")
    assert.deepStrictEqual([status.phase, status.phaseReason, status.readyInstances], [phase, "the disk is gone", 0])
    assert.deepInclude(status.conditions[0], { type: "Ready", status: "False" })
    yield* change("clusters", "orders", { spec: { instances: 2 } })
    yield* TestClock.adjust("60 seconds")
    assert.deepStrictEqual(yield* standing, [phase, 0])
    assert.notInclude(JSON.stringify(yield* state), "ailment")
    heal(world.kubernetes, { namespace, name: "orders" })
    yield* TestClock.adjust("30 seconds")
    assert.deepStrictEqual(yield* standing, ["Cluster in healthy state", 2])
  }).pipe(Effect.provide(Memory))
)

it.effect("a cloud that is stopped at any second resumes to the same end", () =>
  Effect.gen(function* () {
    for (const second of [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12]) {
      const saved = yield* Effect.gen(function* () {
        yield* inNamespace()
        yield* makeCluster("orders", { instances: 2 })
        yield* TestClock.adjust(`${second} seconds`)
        return JSON.stringify((yield* SimulatedCloud).world)
      }).pipe(Effect.provide(Layer.fresh(Memory)))
      const status = yield* Effect.gen(function* () {
        yield* TestClock.adjust("40 seconds")
        return yield* statusOf("clusters", "orders")
      }).pipe(Effect.provide(Layer.succeed(SimulatedCloud, SimulatedCloud.make(JSON.parse(saved)))))
      assert.deepStrictEqual([second, status.phase, status.readyInstances], [second, "Cluster in healthy state", 2])
    }
  })
)

it.effect("a cloud of an earlier release gets the operators, which adopt existing objects", () =>
  Effect.gen(function* () {
    const old = makeWorld()
    const { kubernetes } = old
    const definitions = kubernetes.objects["customresourcedefinitions.apiextensions.k8s.io"] ?? {}
    const uid = definitions["/clusters.postgresql.cnpg.io"]?.metadata.uid
    for (const key of Object.keys(definitions)) if (key.includes("gateway")) delete definitions[key]
    delete kubernetes.objects["gateways.gateway.networking.k8s.io"]
    delete kubernetes.objects["namespaces"]?.["/portico-edge"]
    const { "/clusters.postgresql.cnpg.io": known } = definitions
    if (known !== undefined)
      definitions["/clusters.postgresql.cnpg.io"] = {
        ...known,
        spec: { ...Object(known["spec"]), preserveUnknownFields: false }
      }
    yield* Effect.gen(function* () {
      yield* inNamespace()
      yield* kube("GET", "/api/v1/namespaces")
    }).pipe(Effect.provide(Layer.succeed(SimulatedCloud, SimulatedCloud.make(old))))
    put(
      kubernetes,
      "clusters.postgresql.cnpg.io",
      {
        ...clusterOf("orders"),
        metadata: {
          name: "orders",
          namespace,
          uid: "00000000-0000-4000-8000-000000000001",
          resourceVersion: "",
          creationTimestamp: "2026-01-01T00:00:00Z",
          generation: 1
        }
      },
      0
    )
    upgradeCluster(kubernetes)
    const { version } = kubernetes.counters
    upgradeCluster(kubernetes)
    assert.strictEqual(kubernetes.counters.version, version)
    kubernetes.history.length = 0
    const saved = JSON.stringify(old)
    yield* Effect.gen(function* () {
      yield* kube("GET", "/api/v1/namespaces")
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* standing, healthy)
      const edge = yield* kube("GET", "/apis/gateway.networking.k8s.io/v1/namespaces/portico-edge/gateways/public")
      assert.strictEqual(edge.status, 200)
      const definition = yield* kube(
        "GET",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusters.postgresql.cnpg.io"
      )
      assert.deepStrictEqual(
        [definition.json.metadata.uid, definition.json.spec.preserveUnknownFields],
        [uid, undefined]
      )
    }).pipe(Effect.provide(Layer.succeed(SimulatedCloud, SimulatedCloud.make(JSON.parse(saved)))))
  })
)

it.effect("events are deleted an hour after they were last seen, and a repeated one only counts", () =>
  Effect.gen(function* () {
    yield* inNamespace("10Gi")
    yield* makeCluster("orders")
    yield* TestClock.adjust("130 seconds")
    const { items } = (yield* kube("GET", pathOf("events"))).json
    assert.strictEqual(items.length, 1)
    assert.deepInclude(items[0], {
      count: 4,
      firstTimestamp: "2026-02-01T00:00:01Z",
      lastTimestamp: "2026-02-01T00:02:02Z"
    })
    yield* kube("DELETE", pathOf("clusters", "orders"))
    yield* TestClock.adjust("59 minutes")
    assert.strictEqual((yield* names("events")).length, 1)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* names("events"), [])
  }).pipe(Effect.provide(Memory))
)

const external = [{ name: "origin", barmanObjectStore: { destinationPath: "s3://b/", s3Credentials: {} } }]

it.effect.each([
  { spec: { imageName: "postgres:latest" }, field: "spec.imageName", why: "Can't use 'latest' as image tag" },
  { spec: { imageName: "postgres" }, field: "spec.imageName", why: "Can't use 'latest' as image tag" },
  {
    spec: { imageName: `postgres@sha256:${"0".repeat(64)}` },
    field: "spec.imageName",
    why: "Can't use just the image sha as we can't detect upgrades"
  },
  { spec: { imageName: "postgres:trixie" }, field: "spec.imageName", why: "invalid version tag" },
  { spec: { imageName: "postgres:11.2" }, field: "spec.imageName", why: "Unsupported PostgreSQL version" },
  { spec: { storage: { size: "much" } }, field: "spec.storage.size", why: "Size value isn't valid" },
  { spec: { storage: {} }, field: "spec.storage.size", why: "Size not configured." },
  {
    spec: { postgresql: { synchronous: { method: "any", number: 1 } } },
    field: "spec.postgresql.synchronous",
    why: "the number of synchronous replicas must be less than the total number of instances"
  },
  {
    spec: { bootstrap: { initdb: { owner: "clerk" } } },
    field: "spec.bootstrap.initdb.database",
    why: "You need to specify the database name"
  },
  {
    spec: { bootstrap: { initdb: {}, recovery: { source: "origin" } }, externalClusters: external },
    field: "spec.bootstrap",
    why: "Too many bootstrap types specified"
  },
  {
    spec: { bootstrap: { recovery: { source: "elsewhere" } }, externalClusters: external },
    field: "spec.bootstrap.recovery.source",
    why: "External cluster elsewhere not found"
  },
  {
    spec: {
      bootstrap: { recovery: { source: "origin", recoveryTarget: { targetTime: "yesterday" } } },
      externalClusters: external
    },
    field: "spec.bootstrap.recovery.recoveryTarget",
    why: "The format of TargetTime is invalid"
  },
  {
    spec: { externalClusters: [...external, ...external] },
    field: "spec.externalClusters",
    why: "the list of external clusters contains duplicate values"
  },
  {
    spec: { backup: { barmanObjectStore: { destinationPath: "s3://b/" } } },
    field: "spec.backup.barmanObjectStore",
    why: "missing credentials."
  },
  {
    spec: { backup: { retentionPolicy: "30" } },
    field: "spec.backup.retentionPolicy",
    why: "not a valid retention policy"
  },
  { name: "9lives", field: "metadata.name", why: "cluster name must be a valid DNS label" },
  { name: "a".repeat(51), field: "metadata.name", why: "the maximum length of a cluster name is 50 characters" }
])("the operator's webhook refuses a cluster: $field: $why", ({ field, name = "orders", spec = {}, why }) =>
  Effect.gen(function* () {
    yield* inNamespace()
    const refused = yield* makeCluster(name, spec)
    assert.deepStrictEqual([refused.status, refused.json.reason], [422, "Invalid"])
    assert.isTrue(
      refused.json.message.startsWith(
        `admission webhook "vcluster.cnpg.io" denied the request: Cluster.postgresql.cnpg.io "${name}" is invalid: `
      )
    )
    const causes: ReadonlyArray<{ readonly field: string; readonly message: string }> = refused.json.details.causes
    assert.isTrue(causes.some((_) => _.field === field && _.message.includes(why)))
    assert.deepStrictEqual(yield* names("clusters"), [])
  }).pipe(Effect.provide(Memory))
)

it.effect("the definition itself refuses a cluster of no instances, and fills in one", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    const refused = yield* makeCluster("orders", { instances: 0 })
    assert.strictEqual(
      refused.json.message,
      'Cluster.postgresql.cnpg.io "orders" is invalid: spec.instances: Invalid value: 0: spec.instances in body should ' +
        "be greater than or equal to 1"
    )
    const made = yield* kube("POST", pathOf("clusters"), {
      json: {
        apiVersion: "postgresql.cnpg.io/v1",
        kind: "Cluster",
        metadata: { name: "orders" },
        spec: { storage: { size: "1Gi" } }
      }
    })
    assert.deepStrictEqual([made.status, made.json.spec.instances], [201, 1])
    assert.match(made.json.spec.imageName, /^ghcr\.io\/cloudnative-pg\/postgresql:\d+/)
  }).pipe(Effect.provide(Memory))
)

it.effect("the webhook refuses changes to less storage, an older major and inconsistent settings", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders", { instances: 2, postgresql: { synchronous: { method: "any", number: 1 } } })
    const refused = (spec: unknown) =>
      Effect.map(change("clusters", "orders", { spec }), (_) => [_.status, _.json.message])
    assert.deepStrictEqual(yield* refused({ storage: { size: "10Gi" } }), [
      422,
      'admission webhook "vcluster.cnpg.io" denied the request: Cluster.cluster.cnpg.io "orders" is invalid: spec.storage: ' +
        'Invalid value: "10Gi": can\'t shrink existing storage from 20Gi to 10Gi'
    ])
    assert.include(
      (yield* refused({ imageName: "ghcr.io/cloudnative-pg/postgresql:16.4" }))[1],
      "can't downgrade from majors 17 to 16"
    )
    assert.include((yield* refused({ instances: 1 }))[1], "Invalid synchronous configuration")
    assert.strictEqual((yield* refused({ instances: 1, postgresql: { synchronous: null } }))[0], 200)
    // Nothing is wrong with the same size again.
    assert.strictEqual((yield* refused({ storage: { size: "20480Mi" } }))[0], 200)
    const dry = yield* kube("POST", `${pathOf("clusters")}?dryRun=All`, {
      json: { apiVersion: "postgresql.cnpg.io/v1", kind: "Cluster", metadata: { name: "b" }, spec: { storage: {} } }
    })
    assert.strictEqual(dry.status, 422)
  }).pipe(Effect.provide(Memory))
)
