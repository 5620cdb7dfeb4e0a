import { assert, describe, it } from "@effect/vitest"
import type { DatabaseFilters } from "@portico/contract/Databases"
import { positionOf } from "@portico/contract/Page"
import { volumesOf } from "@portico/domain/databases/ceilings"
import { createDatabase } from "@portico/domain/databases/create"
import { rotateCredentials, showCredentials } from "@portico/domain/databases/credentials"
import { poolName } from "@portico/domain/databases/engines/kafka"
import { listDatabases, showDatabase } from "@portico/domain/databases/read"
import { removeDatabase } from "@portico/domain/databases/remove"
import { resizeDatabase } from "@portico/domain/databases/resize"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { fail, heal } from "@portico/simulator/kubernetes/operators/faults"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Cluster } from "@portico/upstream/kubernetes/Cluster"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { inTime, settle } from "@portico/testing/clock"
import { claim, create, kubernetesCalls, log, namesOf, orders, put, until, withNamespace } from "./databases.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

const nothing = { count: 0, next_cursor: null, databases: [] }

const show = (projectId: string, engine = "postgres", name = "orders") => inTime(showDatabase(projectId, engine, name))
const remove = (projectId: string, engine = "postgres", name = "orders") =>
  inTime(removeDatabase(projectId, engine, name))
const resize = (
  projectId: string,
  change: Parameters<typeof resizeDatabase>[3],
  engine = "postgres",
  name = "orders"
) => inTime(resizeDatabase(projectId, engine, name, change))
const credentials = (projectId: string, engine = "postgres", name = "orders") =>
  inTime(showCredentials(projectId, engine, name))

/** What is in the tenant's namespace of the kind and name. */
const stored = Effect.fnUntraced(function* (
  kind: (typeof kinds)["cluster" | "kafka" | "secret"],
  projectId: string,
  name: string
) {
  return yield* (yield* Kubernetes).find(kind, { namespace: `db-${projectId}`, name })
})

const notFound = (name: string) => ({ code: "database_not_found", detail: `Database '${name}' not found` }) as const

/** Every route that names a database says the same of one that is not there. */
const isAbsent = Effect.fnUntraced(function* (projectId: string, engine: string, name: string) {
  for (const failure of [
    yield* Effect.flip(show(projectId, engine, name)),
    yield* Effect.flip(remove(projectId, engine, name)),
    yield* Effect.flip(credentials(projectId, engine, name)),
    yield* Effect.flip(resize(projectId, { size_gb: 30 }, engine, name)),
    yield* Effect.flip(inTime(rotateCredentials(projectId, engine, name)))
  ]) {
    assert.deepInclude(failure, notFound(name))
  }
})

describe("a PostgreSQL database", () => {
  it.effect("is pending, then provisioning, then ready", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      const made = yield* create(projectId, { replicas: 3 })
      assert.deepStrictEqual(made, {
        engine: "postgres",
        name: "orders",
        version: "17",
        size_gb: 20,
        replicas: 3,
        status: "pending",
        reason: "the operator has not reported yet",
        created_at: made.created_at,
        backup: null,
        restored_from: null
      })
      const first = yield* show(projectId)
      assert.isFalse(first.ready)
      assert.isNull(first.endpoint)

      const { detail, seen } = yield* until(projectId, orders, "ready")
      assert.deepStrictEqual(seen.slice(-2), ["provisioning", "ready"])
      assert.deepInclude(detail, { ready: true, reason: null, backup: null })
      assert.deepStrictEqual(detail.endpoint, { host: `orders-rw.db-${projectId}.svc`, port: 5432 })
      assert.deepStrictEqual(yield* inTime(listDatabases(projectId)), {
        count: 1,
        next_cursor: null,
        databases: [{ ...made, status: "ready", reason: null }]
      })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is a complete Cluster object", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, { replicas: 3 })
      const cluster = yield* stored(kinds.cluster, projectId, "orders")
      assert.deepInclude(cluster?.metadata["labels"], {
        "app.kubernetes.io/managed-by": "portico",
        "portico/project-id": projectId
      })
      assert.deepInclude(cluster?.["spec"], {
        instances: 3,
        imageName: "ghcr.io/cloudnative-pg/postgresql:17.6-system-trixie",
        storage: { size: "20Gi" },
        resources: { requests: { cpu: "250m", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } }
      })
      assert.deepNestedInclude(cluster, {
        "spec.postgresql.synchronous": { method: "any", number: 1, dataDurability: "required" }
      })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("has no credentials before there is a primary, and then its owner's", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      const seen = new Set<string>()
      for (let second = 0; second < 60 && (yield* show(projectId)).endpoint === null; second++) {
        if ((yield* stored(kinds.secret, projectId, "orders-app")) !== undefined)
          seen.add("a password without a primary")
        const failure = yield* Effect.flip(credentials(projectId))
        assert.deepInclude(failure, { code: "database_credentials_not_ready", detail: "credentials not ready" })
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual([...seen], ["a password without a primary"])
      const host = `orders-rw.db-${projectId}.svc`
      assert.deepStrictEqual((yield* show(projectId)).endpoint, { host, port: 5432 })
      const given = yield* credentials(projectId)
      if (given.engine !== "postgres") return assert.fail("they are no PostgreSQL credentials")
      assert.match(given.password, /^\w{64}$/)
      assert.deepStrictEqual(given, {
        engine: "postgres",
        username: "app",
        password: given.password,
        uri: `postgresql://app:${given.password}@${host}:5432/app`,
        host,
        port: 5432,
        dbname: "app"
      })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("gets another password by a rotation, which does not answer it, and can be repeated", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      const rotating = inTime(rotateCredentials(projectId, "postgres", "orders"))
      assert.deepInclude(yield* Effect.flip(rotating), { detail: "credentials not ready" })
      yield* until(projectId, orders, "ready")
      const before = yield* credentials(projectId)
      const rotated = yield* rotating
      assert.deepStrictEqual(rotated, {
        engine: "postgres",
        name: "orders",
        credentials: "/v1/databases/postgres/orders/credentials"
      })
      assert.deepInclude(yield* Effect.flip(credentials(projectId)), { detail: "credentials not ready" })
      assert.deepStrictEqual(yield* rotating, rotated)
      yield* TestClock.adjust("5 seconds")
      const after = yield* credentials(projectId)
      assert.notDeepEqual(after, before)
      assert.deepStrictEqual(Object.keys(after), Object.keys(before))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("grows in place, and is ready again when every claim has grown", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, { replicas: 2 })
      yield* until(projectId, orders, "ready")
      const grown = yield* resize(projectId, { size_gb: 30 })
      assert.deepInclude(grown, { size_gb: 30, status: "updating" })
      assert.deepInclude(yield* show(projectId), { status: "updating", ready: false, size_gb: 30 })
      yield* until(projectId, orders, "ready")
      const claims = yield* (yield* Kubernetes).list(kinds.persistentVolumeClaim, { namespace: `db-${projectId}` })
      assert.lengthOf(claims, 2)
      for (const _ of claims) assert.deepNestedInclude(_, { "status.capacity.storage": "30Gi" })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("changes its replicas in place, with the most synchronous replication possible", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      yield* until(projectId, orders, "ready")
      for (const [replicas, synchronous] of [
        [2, { method: "any", number: 1, dataDurability: "preferred" }],
        [3, { method: "any", number: 1, dataDurability: "required" }],
        [1, undefined]
      ] as const) {
        const changed = yield* resize(projectId, { replicas })
        assert.deepInclude(changed, { replicas, status: "updating" })
        const { detail, seen } = yield* until(projectId, orders, "ready")
        assert.notInclude(seen, "provisioning", "what was ready once is being changed, not made")
        assert.strictEqual(detail.replicas, replicas)
        const cluster = yield* stored(kinds.cluster, projectId, "orders")
        assert.deepStrictEqual(
          JSON.parse(JSON.stringify(cluster))?.spec.postgresql?.synchronous,
          synchronous,
          `${replicas} replicas`
        )
      }
      assert.lengthOf(yield* namesOf(kinds.persistentVolumeClaim, projectId), 1)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("changes size and replicas in one request, whole or not at all", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, { replicas: 2 })
      yield* until(projectId, orders, "ready")
      const refusals = [
        [{ size_gb: 20 }, "size_gb 20 is refused: each instance has 20 GiB, and storage only grows"],
        [{ size_gb: 19 }, "size_gb 19 is refused: each instance has 20 GiB, and storage only grows"],
        [{ replicas: 2 }, "The database has 2 replicas already"],
        [{ size_gb: 20, replicas: 3 }, "size_gb 20 is refused: each instance has 20 GiB, and storage only grows"],
        [{ size_gb: 30, replicas: 2 }, "The database has 2 replicas already"]
      ] as const
      for (const [change, detail] of refusals) {
        const failure = yield* Effect.flip(resize(projectId, change))
        assert.deepInclude(failure, { _tag: "Conflict", detail })
      }
      assert.deepInclude(yield* show(projectId), { size_gb: 20, replicas: 2, status: "ready" })
      yield* resize(projectId, { size_gb: 30, replicas: 3 })
      assert.deepInclude((yield* until(projectId, orders, "ready")).detail, { size_gb: 30, replicas: 3 })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is removed with all objects but the namespace, once, and frees its name", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("discovery")
      yield* create(projectId, { size_gb: 30, replicas: 3 })
      yield* until(projectId, orders, "ready")
      const gone = yield* remove(projectId)
      assert.deepInclude(gone, { name: "orders", size_gb: 30, status: "deleting" })
      assert.deepInclude(yield* Effect.flip(show(projectId)), notFound("orders"))
      assert.deepInclude(yield* Effect.flip(remove(projectId)), notFound("orders"))
      yield* TestClock.adjust("60 seconds")
      for (const kind of [kinds.persistentVolumeClaim, kinds.cluster, kinds.scheduledBackup]) {
        assert.deepStrictEqual(yield* namesOf(kind, projectId), [], kind.kind)
      }
      assert.isDefined(yield* (yield* Kubernetes).find(kinds.namespace, { name: `db-${projectId}` }))
      yield* create(projectId, { size_gb: 30, replicas: 3 })
      yield* until(projectId, orders, "ready")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is created once: the same request again is refused, and changes nothing", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      const before = yield* stored(kinds.cluster, projectId, "orders")
      for (const request of [{}, { size_gb: 40 }, { version: "18" }]) {
        assert.deepInclude(yield* Effect.flip(create(projectId, request)), {
          _tag: "Conflict",
          code: "database_exists"
        })
      }
      const after = yield* stored(kinds.cluster, projectId, "orders")
      assert.deepStrictEqual(after?.["spec"], before?.["spec"])
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a Kafka database", () => {
  it.effect("is pending, then provisioning, then ready, and needs no credentials", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      const made = yield* create(projectId, log)
      assert.deepInclude(made, { engine: "kafka", version: "4.3.1", size_gb: 20, replicas: 1, status: "pending" })
      assert.deepInclude(yield* Effect.flip(credentials(projectId, "kafka", "log")), {
        detail: "credentials not ready"
      })
      const { detail, seen } = yield* until(projectId, log, "ready")
      assert.deepStrictEqual(seen.slice(-2), ["provisioning", "ready"])
      const host = `log-kafka-bootstrap.db-${projectId}.svc`
      assert.deepStrictEqual(detail.endpoint, { host, port: 9092 })
      assert.deepStrictEqual(yield* credentials(projectId, "kafka", "log"), {
        engine: "kafka",
        bootstrap: `${host}:9092`,
        credentials: null
      })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("grows in place, and has one replica", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, log)
      yield* until(projectId, log, "ready")
      for (const change of [{ replicas: 1 }, { replicas: 3 }, { replicas: 2, size_gb: 30 }]) {
        assert.deepInclude(yield* Effect.flip(resize(projectId, change, "kafka", "log")), {
          _tag: "Unprocessable",
          code: "kafka_replicas_refused"
        })
      }
      assert.deepInclude(yield* Effect.flip(resize(projectId, { size_gb: 20 }, "kafka", "log")), { _tag: "Conflict" })
      assert.deepInclude(yield* resize(projectId, { size_gb: 30 }, "kafka", "log"), { size_gb: 30, status: "updating" })
      assert.deepInclude(yield* show(projectId, "kafka", "log"), { ready: false })
      assert.deepInclude((yield* until(projectId, log, "ready")).detail, { size_gb: 30 })
      const [held] = yield* (yield* Kubernetes).list(kinds.persistentVolumeClaim, { namespace: `db-${projectId}` })
      assert.deepNestedInclude(held, { "status.capacity.storage": "30Gi" })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is not resized over a concurrent change", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, log)
      yield* until(projectId, log, "ready")
      const cloud = yield* SimulatedCloud
      const path = "/apis/kafka.strimzi.io/v1/namespaces/*/kafkanodepools/*"
      yield* cloud.fault({ service: "kubernetes", method: "PATCH", path, when: "before", as: { delay_ms: 2_000 } })
      const resizing = yield* Effect.forkChild(Effect.flip(resizeDatabase(projectId, "kafka", "log", { size_gb: 30 })))
      yield* settle
      const place = { namespace: `db-${projectId}`, name: poolName("log") }
      const { find, merge } = yield* Kubernetes
      const pool = yield* find(kinds.kafkaNodePool, place)
      const [volume] = pool === undefined ? [] : volumesOf(pool)
      const spec = { storage: { volumes: [{ ...Object(volume), size: "40Gi" }] } }
      yield* merge(kinds.kafkaNodePool, place, { spec })
      const failure = yield* inTime(Fiber.join(resizing))
      assert.deepInclude(failure, { code: "database_storage_not_grown" })
      assert.strictEqual((yield* show(projectId, "kafka", "log")).size_gb, 40)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("has no password to rotate", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, log)
      assert.deepInclude(yield* Effect.flip(rotateCredentials(projectId, "kafka", "log")), {
        detail: "no such credential to rotate",
        code: "no_credential_to_rotate"
      })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is removed with its claims, its pool first, and frees its name", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("discovery")
      yield* create(projectId, { ...log, size_gb: 60 })
      yield* until(projectId, log, "ready")
      const calls = yield* kubernetesCalls(remove(projectId, "kafka", "log"))
      assert.deepStrictEqual(
        calls.filter((_) => _.startsWith("DELETE")),
        [`DELETE kafkanodepools/${poolName("log")}`, "DELETE kafkas/log"]
      )
      assert.deepInclude(yield* Effect.flip(remove(projectId, "kafka", "log")), notFound("log"))
      yield* TestClock.adjust("60 seconds")
      for (const kind of [kinds.persistentVolumeClaim, kinds.kafka, kinds.kafkaNodePool]) {
        assert.deepStrictEqual(yield* namesOf(kind, projectId), [], kind.kind)
      }
      yield* create(projectId, { ...log, size_gb: 60 })
      yield* until(projectId, log, "ready")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("has brokers with valid host names, for any length of its own name", () =>
    Effect.gen(function* () {
      assert.isAtMost(`${"a".repeat(40)}-${poolName("a".repeat(40))}-0`.length, 63)
      const projectId = yield* tenantOf("standard")
      const long = { engine: "kafka", name: "a".repeat(40) } as const
      yield* create(projectId, { ...log, ...long })
      yield* until(projectId, long, "ready")
    }).pipe(Effect.provide(Simulated))
  )

  for (const [what, kind] of [
    ["a pool without its Kafka", kinds.kafka],
    ["a Kafka without its pool", kinds.kafkaNodePool]
  ] as const) {
    const half = Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, log)
      // A pool that goes while the brokers start for the first time may leave volumes of a cluster that nobody knows.
      if (kind === kinds.kafkaNodePool) yield* until(projectId, log, "ready")
      const name = kind === kinds.kafka ? "log" : poolName("log")
      yield* (yield* Kubernetes).remove(kind, { namespace: `db-${projectId}`, name })
      return projectId
    })

    it.effect(`${what} is shown as failing, and can be deleted`, () =>
      Effect.gen(function* () {
        const projectId = yield* half
        assert.deepInclude(yield* show(projectId, "kafka", "log"), {
          status: "failing",
          ready: false,
          version: "4.3.1"
        })
        assert.deepInclude((yield* inTime(listDatabases(projectId))).databases[0], { name: "log", status: "failing" })
        assert.deepInclude(yield* Effect.flip(resize(projectId, { size_gb: 30 }, "kafka", "log")), {
          code: "concurrent_change"
        })
        yield* remove(projectId, "kafka", "log")
        assert.deepInclude(yield* Effect.flip(remove(projectId, "kafka", "log")), notFound("log"))
        assert.deepStrictEqual(yield* namesOf(kinds.kafkaNodePool, projectId), [])
      }).pipe(Effect.provide(Simulated))
    )

    it.effect(`${what} can be completed by a create`, () =>
      Effect.gen(function* () {
        const projectId = yield* half
        yield* create(projectId, { ...log, size_gb: 25 })
        const { detail } = yield* until(projectId, log, "ready")
        assert.strictEqual(detail.size_gb, 25)
        assert.deepInclude(yield* Effect.flip(create(projectId, log)), { code: "database_exists" })
      }).pipe(Effect.provide(Simulated))
    )
  }
})

describe("a failing database", () => {
  const rows = [
    [orders, "Failing over", "orders-1 does not answer", "degraded"],
    [orders, "Cluster is unrecoverable and needs manual intervention", "no volume is left", "failing"],
    [log, "TimeoutException", "Exceeded timeout of 300000ms", "degraded"],
    [log, "InvalidConfigurationException", "the listener is none", "failing"]
  ] as const
  for (const [request, said, why, status] of rows) {
    it.effect(`${request.engine}, '${said}': ${status} with the operator's message, and ready again after it`, () =>
      Effect.gen(function* () {
        const projectId = yield* tenantOf("standard")
        yield* create(projectId, request)
        yield* until(projectId, request, "ready")
        const { kubernetes } = (yield* SimulatedCloud).world
        const kind = request.engine === "kafka" ? "Kafka" : "Cluster"
        const database = { namespace: `db-${projectId}`, name: request.name, kind } as const
        fail(kubernetes, database, said, why)
        const { detail } = yield* until(projectId, request, status)
        assert.deepInclude(detail, { ready: false, reason: `${said}: ${why}` })
        // What an operator has to say against it does not take away how it is reached.
        assert.isNotNull(detail.endpoint)
        assert.strictEqual((yield* credentials(projectId, request.engine, request.name)).engine, request.engine)
        heal(kubernetes, database)
        assert.deepInclude((yield* until(projectId, request, "ready", 200)).detail, { reason: null })
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("without room in the namespace it is failing with the reason, and recovers with room", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      const spec = { hard: { persistentvolumeclaims: "0", "requests.storage": "400Gi" } }
      const quota = { namespace: `db-${projectId}`, name: "tenant-quota" }
      yield* create(projectId, { replicas: 2 })
      // Whoever keeps the cluster changes the quota behind the gateway's back.
      yield* (yield* Kubernetes).merge(kinds.resourceQuota, quota, { spec })
      const { detail } = yield* until(projectId, orders, "failing")
      assert.match(detail.reason ?? "", /^Unable to create required cluster objects: .*exceeded quota: tenant-quota/)
      assert.deepInclude(
        detail.events.find((_) => _.type === "Warning"),
        { object: "Cluster/orders" }
      )
      yield* inTime(moveTier(projectId, "standard"))
      yield* until(projectId, orders, "ready", 200)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a tenant's view", () => {
  it.effect("is empty before its first database, without a namespace", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      assert.deepStrictEqual(yield* inTime(listDatabases(projectId)), nothing)
      assert.isUndefined(yield* (yield* Kubernetes).find(kinds.namespace, { name: `db-${projectId}` }))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a list costs as many calls for two databases as for none", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      const none = yield* kubernetesCalls(inTime(listDatabases(projectId)))
      yield* create(projectId)
      yield* create(projectId, log)
      const two = yield* kubernetesCalls(inTime(listDatabases(projectId)))
      assert.deepStrictEqual(two, none)
      assert.lengthOf(two, 4)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("has the oldest first, and a name once per engine", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      for (const request of [{ name: "b" }, { engine: "kafka", version: "4.2.0", name: "b" }, { name: "a" }] as const) {
        yield* create(projectId, { ...request, size_gb: 1 })
        yield* TestClock.adjust("2 seconds")
      }
      const { databases } = yield* inTime(listDatabases(projectId))
      assert.deepStrictEqual(
        databases.map((_) => `${_.engine}/${_.name} ${_.version}`),
        ["postgres/b 17", "kafka/b 4.2.0", "postgres/a 17"]
      )

      const named = (filters: DatabaseFilters) =>
        Effect.map(inTime(listDatabases(projectId, filters)), (_) => [
          _.count,
          ..._.databases.map(({ engine, name }) => `${engine}/${name}`)
        ])
      assert.deepStrictEqual(yield* named({ engine: "postgres" }), [2, "postgres/b", "postgres/a"])
      assert.deepStrictEqual(yield* named({ name: "b" }), [2, "postgres/b", "kafka/b"])
      assert.deepStrictEqual(yield* named({ name: "b", engine: "kafka" }), [1, "kafka/b"])
      const ready = databases.filter((_) => _.status === "ready").length
      assert.deepStrictEqual((yield* named({ status: "ready" }))[0], ready)
      assert.deepStrictEqual(yield* named({ status: "deleting" }), [0])

      const first = yield* inTime(listDatabases(projectId, {}, { limit: 2, after: undefined }))
      assert.deepStrictEqual([first.count, first.databases], [3, databases.slice(0, 2)])
      const after = positionOf(first.next_cursor ?? "")
      assert.isDefined(after)
      const rest = yield* inTime(listDatabases(projectId, {}, { limit: 2, after }))
      assert.deepStrictEqual(rest, { count: 3, next_cursor: null, databases: databases.slice(2) })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("lacks databases made through the Kubernetes API, whose names are taken", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      const spec = { instances: 1, imageName: "ghcr.io/cloudnative-pg/postgresql:17.6", storage: { size: "1Gi" } }
      yield* put(kinds.cluster, projectId, "orders", { spec })
      yield* put(kinds.kafka, projectId, "log", { spec: { kafka: { version: "4.3.1" } } })
      const volumes = [{ id: 0, type: "persistent-claim", size: "1Gi" }]
      const nodes = { replicas: 1, roles: ["controller", "broker"], storage: { type: "jbod", volumes } }
      yield* put(kinds.kafkaNodePool, projectId, "theirs", { spec: nodes }, { "strimzi.io/cluster": "events" })

      assert.deepStrictEqual(yield* inTime(listDatabases(projectId)), nothing)
      for (const [engine, name] of [
        ["postgres", "orders"],
        ["kafka", "log"],
        ["kafka", "events"]
      ] as const) {
        const usual = engine === "kafka" ? log : orders
        assert.deepInclude(yield* Effect.flip(create(projectId, { ...usual, name })), { code: "database_exists" })
        yield* isAbsent(projectId, engine, name)
      }
      assert.deepStrictEqual(yield* namesOf(kinds.kafkaNodePool, projectId), ["theirs"])
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("lacks another tenant's database, and answers malformed names alike", () =>
    Effect.gen(function* () {
      const acme = yield* tenantOf("standard")
      const globex = yield* tenantOf("standard", "Globex")
      yield* create(acme)
      yield* until(acme, orders, "ready")
      yield* create(globex, { name: "theirs" })
      for (const [engine, name] of [
        ["postgres", "orders"],
        ["postgres", "absent"],
        ["postgres", "Not A Name"],
        ["postgres", "a".repeat(51)],
        ["kafka", "a".repeat(41)],
        ["mysql", "orders"],
        ["postgres", "../../db-x/clusters/orders"]
      ] as const) {
        yield* isAbsent(globex, engine, name)
      }
      assert.deepInclude(yield* show(acme), { ready: true })
      assert.deepStrictEqual(
        (yield* inTime(listDatabases(globex))).databases.map((_) => _.name),
        ["theirs"]
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("has the recovery window, with any number of backups", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, { backup: { enabled: true } })
      yield* until(projectId, orders, "ready")
      const backup = { spec: { cluster: { name: "orders" } } }
      for (let index = 0; index < 501; index++) yield* put(kinds.backup, projectId, `orders-${index}`, backup)
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      assert.isTrue((yield* show(projectId)).backup?.enabled)
      const lists = (yield* cloud.calls).filter((_) => _.method === "GET" && _.path.endsWith("/backups"))
      assert.deepStrictEqual(
        lists.map((_) => /^limit=250(&continue=[^&]+)?$/.test(_.query)),
        [true, true, true]
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("has the latest events first, of the database and its claims alone", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      yield* create(projectId, { name: "other" })
      const { detail } = yield* until(projectId, orders, "ready")
      const cluster = yield* stored(kinds.cluster, projectId, "orders")
      const about = (name: string, reason: string, second: string, more: object = {}) =>
        put(kinds.event, projectId, `event-${name}-${reason.toLowerCase()}-${second}`, {
          involvedObject: { kind: "Cluster", name, namespace: `db-${projectId}`, uid: cluster?.metadata["uid"] },
          reason,
          message: "said",
          type: "Warning",
          lastTimestamp: `2030-01-01T00:00:${second}Z`,
          ...more
        })
      yield* about("orders", "Late", "30", { count: 7 })
      yield* about("orders", "Later", "31", { series: { count: 9, lastObservedTime: "2030-01-01T00:01:00.000000Z" } })
      yield* about("orders", "Strange", "59", {
        involvedObject: { kind: "Cluster", name: "orders", uid: "an-earlier-life" }
      })
      for (let index = 10; index < 30; index++) yield* about("orders", "Usual", String(index))

      const { events } = yield* show(projectId)
      assert.lengthOf(events, 20)
      assert.deepStrictEqual(events.slice(0, 3), [
        {
          at: "2030-01-01T00:01:00.000Z",
          type: "Warning",
          reason: "Later",
          message: "said",
          object: "Cluster/orders",
          count: 9
        },
        {
          at: "2030-01-01T00:00:30.000Z",
          type: "Warning",
          reason: "Late",
          message: "said",
          object: "Cluster/orders",
          count: 7
        },
        {
          at: "2030-01-01T00:00:29.000Z",
          type: "Warning",
          reason: "Usual",
          message: "said",
          object: "Cluster/orders",
          count: 1
        }
      ])
      for (const _ of [...detail.events, ...events]) assert.notMatch(_.object, /other/)
      assert.isNotEmpty(detail.events)
      // A tenant's workloads cause others without a number in the namespace.
      const lists = (yield* (yield* SimulatedCloud).calls).filter(
        (_) => _.method === "GET" && _.path.endsWith("/events")
      )
      assert.isNotEmpty(lists)
      for (const { query } of lists) assert.match(query, /fieldSelector=involvedObject.*limit=500/)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("lacks claims of the tenant's own, which stay", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      yield* claim(projectId, "scratch", "1Gi", { "cnpg.io/cluster": "orders" })
      yield* create(projectId)
      yield* until(projectId, orders, "ready")
      yield* remove(projectId)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* namesOf(kinds.persistentVolumeClaim, projectId), ["scratch"])
    }).pipe(Effect.provide(Simulated))
  )
})

it.effect("a cloud without a cluster has no databases", () =>
  Effect.gen(function* () {
    for (const failure of [
      yield* Effect.flip(listDatabases("1")),
      yield* Effect.flip(createDatabase("1", orders)),
      yield* Effect.flip(showDatabase("1", "postgres", "orders")),
      yield* Effect.flip(removeDatabase("1", "postgres", "orders"))
    ]) {
      assert.deepInclude(failure, { _tag: "NotFound", detail: "No platform service at 'databases'" })
    }
  }).pipe(
    Effect.provide(
      Layer.fresh(Kubernetes.layer).pipe(Layer.provide(Layer.succeed(Cluster, Cluster.of({ api: undefined }))))
    ),
    Effect.provide(Simulated)
  )
)
