import { assert, describe, it } from "@effect/vitest"
import type { DatabaseCreate, DatabaseResize } from "@portico/contract/Databases"
import type { Failure, FailureCode } from "@portico/contract/Failures"
import { createDatabase } from "@portico/domain/databases/create"
import { removeDatabase } from "@portico/domain/databases/remove"
import { resizeDatabase } from "@portico/domain/databases/resize"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Clock, Effect, Exit } from "effect"
import { inTime } from "@portico/testing/clock"
import { claim, create, log, namesOf, orders, put, until, withNamespace } from "./databases.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

/** What a refusal says, and that it has written nothing. */
const refused = Effect.fnUntraced(function* <A, R>(effect: Effect.Effect<A, Failure, R>) {
  const cloud = yield* SimulatedCloud
  yield* cloud.clearCalls
  const failure = yield* Effect.flip(inTime(effect))
  assert.deepStrictEqual(
    (yield* cloud.calls).filter((_) => _.method !== "GET").map((_) => `${_.method} ${_.path}`),
    [],
    String(failure.detail)
  )
  return { code: failure.code, detail: failure.detail, ...("ceiling" in failure ? { ceiling: failure.ceiling } : {}) }
})

const refusedCreate = (projectId: string, request: Partial<DatabaseCreate>) =>
  refused(createDatabase(projectId, { ...(request.engine === "kafka" ? log : orders), name: "another", ...request }))

const refusedResize = (projectId: string, change: DatabaseResize, name = "orders") =>
  refused(resizeDatabase(projectId, "postgres", name, change))

const pod = { apiVersion: "v1", kind: "Pod", plural: "pods" }

const storage = (requested: number, used: number, limit: number) => ({
  code: "ceiling_reached" as const,
  detail:
    `The tenant's ceiling of database storage is reached: requested ${requested} GiB, used ${used} GiB, ` +
    `limit ${limit} GiB, remaining ${Math.max(0, limit - used)} GiB`,
  ceiling: { requested, used, limit, remaining: Math.max(0, limit - used) }
})

const claims = (requested: number, used: number, limit: number) => ({
  code: "ceiling_reached" as const,
  detail:
    `The tenant's ceiling of database volume claims is reached: requested ${requested}, used ${used}, ` +
    `limit ${limit}, remaining ${Math.max(0, limit - used)}`,
  ceiling: { requested, used, limit, remaining: Math.max(0, limit - used) }
})

const tooLarge = (size: number, replicas: number) => ({
  code: "database_too_large" as const,
  detail: `size_gb ${size} times replicas ${replicas} is ${size * replicas} GiB; one database has at most 300 GiB`
})

describe("invalid databases", () => {
  /** The request, and the words against it. */
  const table: ReadonlyArray<readonly [request: Partial<DatabaseCreate>, code: FailureCode, detail: string]> = [
    [{ size_gb: 101, replicas: 3 }, "database_too_large", tooLarge(101, 3).detail],
    [{ size_gb: 151, replicas: 2 }, "database_too_large", tooLarge(151, 2).detail],
    [{ size_gb: 251 }, "database_instance_too_large", "size_gb 251 is refused: one instance has at most 250 GiB"],
    [
      { engine: "kafka", version: "4.3.1", size_gb: 251 },
      "database_instance_too_large",
      "size_gb 251 is refused: one instance has at most 250 GiB"
    ],
    [{ version: "15" }, "database_version_refused", "version of a postgres database must be one of 16, 17, 18"],
    [{ version: "17.6" }, "database_version_refused", "version of a postgres database must be one of 16, 17, 18"],
    [
      { engine: "kafka", version: "4.1.0" },
      "database_version_refused",
      "version of a kafka database must be one of 4.2.0, 4.2.1, 4.3.0, 4.3.1"
    ],
    [
      { engine: "kafka", replicas: 3 },
      "kafka_replicas_refused",
      "A kafka database has one replica: replicas can be given for postgres alone"
    ],
    [
      { engine: "kafka", backup: { enabled: true } },
      "kafka_backup_refused",
      "A kafka database has no backups: backup can be enabled for postgres alone"
    ],
    [
      { engine: "kafka", name: "a".repeat(41) },
      "database_name_refused",
      "The name of a kafka database is a DNS label of RFC 1035 with at most 40 characters"
    ]
  ]
  for (const [request, code, detail] of table) {
    it.effect(`${JSON.stringify(request)} is refused before any call`, () =>
      Effect.gen(function* () {
        const projectId = yield* tenantOf("extension")
        assert.deepStrictEqual(yield* refusedCreate(projectId, request), { code, detail })
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("databases up to the limits are made", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("extension")
      yield* create(projectId, { name: "a", size_gb: 250 })
      yield* create(projectId, { name: "b", size_gb: 100, replicas: 3 })
      yield* create(projectId, { name: "c", size_gb: 150, replicas: 2 })
      yield* create(projectId, { engine: "kafka", name: "d".repeat(40), size_gb: 250, replicas: 1 })
      yield* create(projectId, { name: "e".repeat(50), size_gb: 1 })
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the ceilings of a tenant", () => {
  for (const [tier, limit] of [
    ["discovery", 100],
    ["standard", 400],
    ["extension", 1500]
  ] as const) {
    it.effect(`${tier} has ${limit} GiB: all of them can be used, and no more`, () =>
      Effect.gen(function* () {
        const projectId = yield* tenantOf(tier)
        let left = limit
        for (let index = 0; left > 0; index++) {
          const size_gb = Math.min(left, 250)
          yield* create(projectId, { name: `db-${index}`, size_gb })
          left -= size_gb
        }
        assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 1 }), storage(1, limit, limit))
        assert.deepStrictEqual(
          yield* refusedCreate(projectId, { engine: "kafka", size_gb: 1 }),
          storage(1, limit, limit)
        )
        assert.deepStrictEqual(
          yield* refusedResize(projectId, { size_gb: 251 - 1 }, "db-0").pipe(Effect.map((_) => _.code)),
          tier === "discovery" ? "ceiling_reached" : "database_storage_not_grown"
        )
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("size times replicas counts, at a create and before and after a resize", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("discovery")
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 60, replicas: 2 }), storage(120, 0, 100))
      yield* create(projectId, { size_gb: 30, replicas: 2 })
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 41 }), storage(41, 60, 100))
      assert.deepStrictEqual(yield* refusedResize(projectId, { size_gb: 51 }), storage(42, 60, 100))
      assert.deepStrictEqual(yield* refusedResize(projectId, { replicas: 3, size_gb: 34 }), storage(42, 60, 100))
      yield* inTime(resizeDatabase(projectId, "postgres", "orders", { replicas: 3 }))
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 11 }), storage(11, 90, 100))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a resize is held to the limits of one database, with the numbers", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("extension")
      yield* create(projectId, { size_gb: 100, replicas: 3 })
      assert.deepStrictEqual(yield* refusedResize(projectId, { size_gb: 101 }), tooLarge(101, 3))
      assert.deepStrictEqual(yield* refusedResize(projectId, { size_gb: 250, replicas: 2 }), tooLarge(250, 2))
      yield* inTime(resizeDatabase(projectId, "postgres", "orders", { size_gb: 150, replicas: 2 }))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("there are eight claims, one for each instance", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, { name: "a", size_gb: 1, replicas: 3 })
      yield* create(projectId, { name: "b", size_gb: 1, replicas: 3 })
      yield* create(projectId, { engine: "kafka", name: "c", size_gb: 1 })
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 1, replicas: 2 }), claims(2, 7, 8))
      yield* create(projectId, { name: "d", size_gb: 1 })
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 1 }), claims(1, 8, 8))
      assert.deepStrictEqual(yield* refusedResize(projectId, { replicas: 2 }, "d"), claims(1, 8, 8))
      // What does not grow the number of claims is not refused.
      yield* inTime(resizeDatabase(projectId, "postgres", "d", { size_gb: 2 }))
      yield* inTime(resizeDatabase(projectId, "postgres", "a", { replicas: 2 }))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("resources made through the Kubernetes API count too", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const spec = { instances: 1, imageName: "ghcr.io/cloudnative-pg/postgresql:17.6", storage: { size: "20Gi" } }
      yield* put(kinds.cluster, projectId, "own", { spec })
      const volumes = [{ id: 0, type: "persistent-claim", size: "10Gi" }]
      const pool = { spec: { replicas: 1, roles: ["controller", "broker"], storage: { type: "jbod", volumes } } }
      yield* put(kinds.kafkaNodePool, projectId, "own", pool, { "strimzi.io/cluster": "own" })
      yield* claim(projectId, "scratch", "512Mi")
      // 30.5 GiB of it are used, and a part of a GiB counts as one where it is said.
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 70 }), storage(70, 31, 100))
      yield* create(projectId, { name: "fits", size_gb: 69 })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a suspended tenant can create nothing, keeps its databases, and can remove them", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, { replicas: 3 })
      yield* until(projectId, orders, "ready")
      yield* inTime(suspend(projectId))
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 1 }), storage(1, 60, 0))
      const larger = inTime(resizeDatabase(projectId, "postgres", "orders", { size_gb: 21 }))
      assert.strictEqual((yield* Effect.flip(larger)).code, "tenant_suspended")
      yield* inTime(resizeDatabase(projectId, "postgres", "orders", { replicas: 2 }))
      yield* inTime(removeDatabase(projectId, "postgres", "orders"))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("after a move to a smaller tier databases stay, and may shrink but not grow", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, { size_gb: 50, replicas: 3 })
      yield* until(projectId, orders, "ready")
      yield* inTime(moveTier(projectId, "discovery"))
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 1 }), storage(1, 150, 100))
      assert.deepStrictEqual(yield* refusedResize(projectId, { size_gb: 51 }), storage(3, 150, 100))
      yield* inTime(resizeDatabase(projectId, "postgres", "orders", { replicas: 2 }))
    }).pipe(Effect.provide(Simulated))
  )
})

describe("claims of recently deleted databases", () => {
  for (const request of [
    { ...orders, size_gb: 33, replicas: 3 },
    { ...log, size_gb: 99 }
  ]) {
    it.effect(`a ${request.engine} database can be replaced by another one at once, in a namespace that was full`, () =>
      Effect.gen(function* () {
        const projectId = yield* tenantOf("discovery")
        yield* create(projectId, request)
        yield* until(projectId, request, "ready")
        yield* inTime(removeDatabase(projectId, request.engine, request.name))
        assert.isNotEmpty(yield* namesOf(kinds.persistentVolumeClaim, projectId))
        yield* create(projectId, { ...request, name: "replacement" })
        yield* until(projectId, { ...request, name: "replacement" }, "ready")
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("are not awaited forever", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("discovery")
      yield* create(projectId, { size_gb: 99 })
      yield* until(projectId, orders, "ready")
      // A pod of the tenant's own that holds on to the volume.
      const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "orders-1" } }]
      const containers = [{ name: "holder", image: "registry.example/holder", command: ["sleep"] }]
      yield* put(pod, projectId, "holder", { spec: { containers, volumes } })
      yield* inTime(removeDatabase(projectId, "postgres", "orders"))
      const before = yield* Clock.currentTimeMillis
      assert.deepStrictEqual(yield* refusedCreate(projectId, { size_gb: 2 }), storage(2, 99, 100))
      assert.isAtMost((yield* Clock.currentTimeMillis) - before, 10_000)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("concurrent requests", () => {
  it.effect("of five creates for the last slot one succeeds", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("discovery")
      const all = ["a", "b", "c", "d", "e"].map((name) =>
        Effect.exit(createDatabase(projectId, { ...orders, name, size_gb: 60 }))
      )
      const exits = yield* inTime(Effect.all(all, { concurrency: "unbounded" }))
      assert.lengthOf(exits.filter(Exit.isSuccess), 1)
      assert.lengthOf(yield* namesOf(kinds.cluster, projectId), 1)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of two creates of one name one succeeds", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      for (const request of [orders, log]) {
        const both = [createDatabase(projectId, request), createDatabase(projectId, { ...request, size_gb: 21 })]
        const exits = yield* inTime(Effect.all(both.map(Effect.exit), { concurrency: "unbounded" }))
        assert.deepStrictEqual(
          exits.map((_) => _._tag),
          ["Success", "Failure"]
        )
        const failure = yield* Effect.flip(exits[1] ?? Exit.void)
        assert.deepInclude(failure, { _tag: "Conflict", code: "database_exists" })
      }
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of a create and a resize that only fit singly one succeeds", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("discovery")
      yield* create(projectId, { size_gb: 40 })
      const both = [
        Effect.isSuccess(resizeDatabase(projectId, "postgres", "orders", { size_gb: 80 })),
        Effect.isSuccess(createDatabase(projectId, { ...log, size_gb: 40 }))
      ] as const
      const exits = yield* inTime(Effect.all(both, { concurrency: "unbounded" }))
      assert.sameMembers(exits, [true, false])
    }).pipe(Effect.provide(Simulated))
  )
})
