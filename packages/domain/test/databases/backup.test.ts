import { assert, describe, it } from "@effect/vitest"
import { BackupSchedule } from "@portico/contract/BackupSchedule"
import { ArchiveEndpoint } from "@portico/domain/databases/Archives"
import { backupSettings, defaultSchedule } from "@portico/domain/databases/backups"
import { at } from "@portico/domain/kubernetes/fields"
import { listDatabases } from "@portico/domain/databases/read"
import { removeDatabase } from "@portico/domain/databases/remove"
import { replaceArchiveKey } from "@portico/domain/databases/replaceArchiveKey"
import { makeBucket } from "@portico/domain/objectStorage/buckets"
import { rotateCredentials } from "@portico/domain/objectStorage/credentials"
import { listKeys, removeKey } from "@portico/domain/objectStorage/keys"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import {
  archived,
  archivesOf,
  create,
  folderOf,
  minutes,
  objectOf,
  objects,
  orders,
  restore,
  show,
  textOf,
  userOf
} from "./backups.ts"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime } from "@portico/testing/clock"
import { objectStorageUrl, Simulated, simulatedWith } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

it.effect("a database with backups gets an archive in the tenant's storage, a key of its own and a schedule", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const record = yield* create(projectId)
    const schedule = defaultSchedule(projectId, "orders")
    assert.deepStrictEqual(record.backup, { enabled: true, schedule, retention_days: 30 })
    assert.deepInclude(record, { status: "pending", restored_from: null })

    const [bucket] = yield* archivesOf(projectId)
    assert.strictEqual(bucket?.owner, `tenant$${projectId}`)
    const key = (yield* userOf)(projectId).keys.find((_) => _.access_key === `tenant$${projectId}-db-archive`)
    const secret = yield* objectOf(projectId, "secrets", "portico-archive")
    assert.strictEqual(textOf(secret, "ACCESS_KEY_ID"), key?.access_key)
    assert.strictEqual(textOf(secret, "ACCESS_SECRET_KEY"), key?.secret_key)

    const folder = yield* folderOf(projectId)
    assert.match(folder, /^orders-[0-9a-f]{8}$/)
    const cluster = yield* objectOf(projectId, "clusters", "orders")
    assert.deepInclude(at(cluster, "spec", "backup"), {
      retentionPolicy: "30d",
      barmanObjectStore: {
        destinationPath: `s3://${bucket?.bucket}/`,
        endpointURL: objectStorageUrl,
        serverName: folder,
        s3Credentials: {
          accessKeyId: { name: "portico-archive", key: "ACCESS_KEY_ID" },
          secretAccessKey: { name: "portico-archive", key: "ACCESS_SECRET_KEY" }
        },
        wal: { compression: "gzip" },
        data: { compression: "gzip" }
      }
    })
    assert.deepStrictEqual(at(cluster, "spec", "env"), [
      { name: "AWS_REQUEST_CHECKSUM_CALCULATION", value: "when_required" },
      { name: "AWS_RESPONSE_CHECKSUM_VALIDATION", value: "when_required" }
    ])
    const scheduled = yield* objectOf(projectId, "schedules", folder)
    assert.deepStrictEqual(at(scheduled, "spec"), {
      schedule,
      immediate: true,
      backupOwnerReference: "none",
      method: "barmanObjectStore",
      cluster: { name: "orders" }
    })
  }).pipe(Effect.provide(Simulated))
)

it.effect("the cluster writes to the object gateway of the setting", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* create(projectId)
    const cluster = yield* objectOf(projectId, "clusters", "orders")
    assert.strictEqual(
      at(cluster, "spec", "backup", "barmanObjectStore", "endpointURL"),
      "https://rgw.internal.example:8443"
    )
  }).pipe(Effect.provide(simulatedWith({ DATABASE_ARCHIVE_ENDPOINT: "https://rgw.internal.example:8443/" })))
)

it.effect("a CA of the platform is passed on, also to a copy's archive", () =>
  Effect.gen(function* () {
    const file = join(yield* Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-"))), "ca.crt")
    writeFileSync(file, "-----BEGIN CERTIFICATE-----\n")
    yield* Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      yield* minutes(5)
      yield* restore(projectId)
      const secret = yield* objectOf(projectId, "secrets", "portico-archive")
      assert.strictEqual(textOf(secret, "ca.crt"), "-----BEGIN CERTIFICATE-----\n")
      const copy = yield* objectOf(projectId, "clusters", "orders-copy")
      const [source] = [at(copy, "spec", "externalClusters")].flat()
      for (const store of [at(copy, "spec", "backup", "barmanObjectStore"), at(source, "barmanObjectStore")]) {
        assert.deepStrictEqual(at(store, "endpointCA"), { name: "portico-archive", key: "ca.crt" })
      }
    }).pipe(Effect.provide(simulatedWith({ DATABASE_ARCHIVE_CA_FILE: file })))
    yield* Effect.sync(() => rmSync(dirname(file), { recursive: true }))
  })
)

it("an archive's endpoint has no characters with a meaning to a shell or PostgreSQL", () => {
  const is = Schema.is(ArchiveEndpoint)
  const taken = [
    "http://127.0.0.1/rgw",
    "https://rgw.example:8443/",
    "https://[2001:db8::1]:7480/a-b/c_d~e.f//",
    "http://rgw"
  ]
  const refused = [
    "https://rgw.example/a%20b",
    "https://rgw.example/a'b",
    "https://rgw.example/$HOME",
    "https://rgw.example/a;b",
    "https://rgw.example/a b",
    "https://rgw.example/?a=b&c",
    "https://rgw.example/#a",
    "https://user:pass@rgw.example/",
    "https://rgw.example:port/",
    "s3://rgw.example/",
    "rgw.example",
    ""
  ]
  assert.deepStrictEqual(
    taken.filter((_) => !is(_)),
    []
  )
  assert.deepStrictEqual(
    refused.filter((_) => is(_)),
    []
  )
})

it.effect("its first backup is made at once, and its recovery window grows from then on", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* create(projectId)
    const none = { earliest_recovery_point: null, latest_recovery_point: null, last_successful_at: null }
    assert.deepInclude((yield* show(projectId)).backup, none)

    yield* minutes(5)
    const first = (yield* show(projectId)).backup
    assert.isNotNull(first?.earliest_recovery_point)
    assert.strictEqual(
      Date.parse(first?.earliest_recovery_point ?? ""),
      Date.parse(first?.last_successful_at ?? "") + 1000,
      "the operator cuts fractions of a second off"
    )

    yield* minutes(60)
    const later = (yield* show(projectId)).backup
    assert.strictEqual(later?.earliest_recovery_point, first?.earliest_recovery_point)
    assert.isAbove(
      Date.parse(later?.latest_recovery_point ?? ""),
      Date.parse(first?.earliest_recovery_point ?? "") + 50 * 60_000
    )
    const folder = yield* folderOf(projectId)
    const names = yield* archived(projectId, folder)
    assert.isTrue(names.some((_) => _.startsWith(`${folder}/base/`)))
    assert.isTrue(names.some((_) => _.startsWith(`${folder}/wals/`)))
  }).pipe(Effect.provide(Simulated))
)

it.effect("the schedule makes later backups, and the retention moves the window's beginning", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* create(projectId, { backup: { enabled: true, schedule: "0 0 */6 * * *", retention_days: 1 } })
    yield* minutes(5)
    const first = (yield* show(projectId)).backup
    yield* minutes(60 * 12)
    const second = (yield* show(projectId)).backup
    assert.strictEqual(second?.earliest_recovery_point, first?.earliest_recovery_point)
    assert.isAbove(Date.parse(second?.last_successful_at ?? ""), Date.parse(first?.last_successful_at ?? ""))
    yield* minutes(60 * 36)
    const third = (yield* show(projectId)).backup
    assert.isAbove(Date.parse(third?.earliest_recovery_point ?? ""), Date.parse(first?.earliest_recovery_point ?? ""))
  }).pipe(Effect.provide(Simulated))
)

it.effect("a deleted database leaves its archive and backups, and its name can be used again", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* create(projectId)
    yield* minutes(30)
    const folder = yield* folderOf(projectId)
    const before = yield* archived(projectId, folder)
    const listed = (yield* objects(projectId, "backups")).map((_) => _.metadata.name)
    assert.lengthOf(listed, 1)

    yield* inTime(removeDatabase(projectId, "postgres", "orders"))
    yield* minutes(5)
    assert.deepStrictEqual(yield* objects(projectId, "schedules"), [])
    assert.deepStrictEqual(yield* objects(projectId, "clusters"), [])
    assert.includeMembers([...(yield* archived(projectId, folder))], [...before])
    assert.deepStrictEqual(
      (yield* objects(projectId, "backups")).map((_) => _.metadata.name),
      listed
    )

    yield* create(projectId)
    const again = yield* folderOf(projectId)
    assert.notStrictEqual(again, folder)
    // The earlier life's backup is none of this one's.
    assert.isNull((yield* show(projectId)).backup?.last_successful_at)
    yield* minutes(5)
    const detail = yield* show(projectId)
    assert.strictEqual(detail.status, "ready")
    assert.isNotNull(detail.backup?.last_successful_at)
    assert.lengthOf(yield* objects(projectId, "backups"), 2)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a second database shares the bucket and the key, not the folder", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* create(projectId)
    const { keys } = (yield* userOf)(projectId)
    yield* create(projectId, { name: "invoices" })
    assert.deepStrictEqual((yield* userOf)(projectId).keys, keys)
    assert.notStrictEqual(yield* folderOf(projectId, "invoices"), yield* folderOf(projectId))
    assert.deepStrictEqual(
      (yield* objects(projectId, "schedules")).map((_) => at(_, "spec", "cluster", "name")).toSorted(),
      ["invoices", "orders"]
    )
  }).pipe(Effect.provide(Simulated))
)

it.effect("a changed Secret is restored by the next database", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* create(projectId)
    const whole = at(yield* objectOf(projectId, "secrets", "portico-archive"), "data")
    const place = { namespace: `db-${projectId}`, name: "portico-archive" }
    yield* (yield* Kubernetes).merge(kinds.secret, place, { data: { ACCESS_SECRET_KEY: "d3Jvbmc=" } })
    assert.notDeepEqual(at(yield* objectOf(projectId, "secrets", "portico-archive"), "data"), whole)
    yield* create(projectId, { name: "invoices" })
    assert.deepStrictEqual(at(yield* objectOf(projectId, "secrets", "portico-archive"), "data"), whole)
  }).pipe(Effect.provide(Simulated))
)

it.effect("the archive is independent of the tenant's own keys", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    yield* create(projectId)
    yield* minutes(10)
    const archiveKey = `tenant$${projectId}-db-archive`
    const rotated = yield* inTime(rotateCredentials(projectId))
    assert.notStrictEqual(rotated.access_key, archiveKey)
    const { keys } = yield* inTime(listKeys(projectId))
    assert.notInclude(
      keys.map((_) => _.access_key),
      archiveKey
    )
    for (const { access_key } of keys) yield* inTime(removeKey(projectId, access_key))
    assert.deepInclude(yield* Effect.flip(inTime(removeKey(projectId, archiveKey))), { _tag: "NotFound" })
    const before = (yield* show(projectId)).backup?.latest_recovery_point ?? ""
    yield* minutes(30)
    const after = (yield* show(projectId)).backup?.latest_recovery_point ?? ""
    assert.isAbove(Date.parse(after), Date.parse(before))
    const folder = yield* folderOf(projectId)
    assert.isAbove((yield* archived(projectId, folder)).length, 5)
  }).pipe(Effect.provide(Simulated))
)

describe("the key of the archive", () => {
  const keyOf = (projectId: string) =>
    Effect.map(userOf, (_) => _(projectId).keys.find((_) => _.access_key === `tenant$${projectId}-db-archive`))
  const handed = Effect.fnUntraced(function* (projectId: string) {
    const secret = at(yield* objectOf(projectId, "secrets", "portico-archive"), "data", "ACCESS_SECRET_KEY")
    return Buffer.from(String(secret), "base64").toString()
  })
  const replaced = (projectId: string, accessKey = `tenant$${projectId}-db-archive`) =>
    inTime(replaceArchiveKey(projectId, accessKey))

  it.effect("is replaced when it leaked: the old secret is revoked, and databases use the new one", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      const before = yield* keyOf(projectId)
      assert.deepStrictEqual(yield* replaced(projectId), { access_key: before?.access_key ?? "", deleted: true })
      const after = yield* keyOf(projectId)
      assert.notStrictEqual(after?.secret_key, before?.secret_key)
      assert.strictEqual(yield* handed(projectId), after?.secret_key)
      yield* minutes(30)
      assert.isAbove((yield* archived(projectId, yield* folderOf(projectId))).length, 5)
      yield* create(projectId, { name: "invoices" })
      assert.strictEqual((yield* keyOf(projectId))?.secret_key, after?.secret_key)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is replaced by a second call when the cluster failed the first", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      const path = "/api/v1/namespaces/*/secrets/*"
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "kubernetes",
        method: "PATCH",
        path,
        times: "always",
        when: "before",
        as: { status: 500 }
      })
      assert.deepInclude(yield* Effect.flip(replaced(projectId)), { _tag: "BadGateway" })
      yield* cloud.clearFaults
      yield* replaced(projectId)
      assert.strictEqual(yield* handed(projectId), (yield* keyOf(projectId))?.secret_key)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("cannot be replaced by a tenant without an archive, nor by another tenant", () =>
    Effect.gen(function* () {
      const [acme, globex] = [yield* tenantOf("standard"), yield* tenantOf("standard", "Globex")]
      yield* create(acme)
      const before = yield* everything
      for (const [projectId, accessKey] of [
        [globex, undefined],
        [globex, `tenant$${acme}-db-archive`],
        [acme, `tenant$${acme}-other-db-archive`]
      ] as const) {
        assert.deepInclude(yield* Effect.flip(replaced(projectId, accessKey)), { code: "access_key_not_found" })
      }
      assert.deepStrictEqual(yield* everything, before)
    }).pipe(Effect.provide(Simulated))
  )
})

it.effect("without space for the archive's bucket nothing is made, and the refusal has the numbers", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("discovery")
    for (let bucket = 0; bucket < 5; bucket++) yield* inTime(makeBucket(projectId, `bucket-${bucket}-of-acme`))
    const before = yield* everything
    const failure = yield* Effect.flip(create(projectId))
    assert.deepInclude(failure, { code: "ceiling_reached", ceiling: { requested: 1, used: 5, limit: 5, remaining: 0 } })
    assert.deepStrictEqual(yield* everything, before)
    // Without backups it takes no bucket.
    yield* create(projectId, { backup: { enabled: false } })
  }).pipe(Effect.provide(Simulated))
)

it.effect("another tenant that knows the project's id cannot take its archive's name", () =>
  Effect.gen(function* () {
    const [projectId, other] = [yield* tenantOf("standard"), yield* tenantOf("standard", "Globex")]
    for (const name of [`db-archive-${projectId}`, `db-archive-${projectId}-00000000`]) {
      yield* inTime(makeBucket(other, name))
    }
    yield* create(projectId)
    const own = (yield* archivesOf(projectId)).filter((_) => _.owner === `tenant$${projectId}`)
    assert.lengthOf(own, 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a failing object gateway is a 502, and nothing is made in the cluster, nor a namespace", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const cloud = yield* SimulatedCloud
    const before = structuredClone(cloud.world.kubernetes.objects)
    for (const method of ["GET", "PUT", "POST"]) {
      yield* cloud.fault({ service: "rgw", method, path: "**", times: "always", when: "before", as: { status: 503 } })
    }
    const failure = yield* Effect.flip(create(projectId))
    assert.deepInclude(failure, { _tag: "BadGateway", code: "upstream_failed", transient: true })
    assert.deepStrictEqual(cloud.world.kubernetes.objects, before)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a database without backups has no archive, and backup is null", () =>
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    const { backup: _, ...plain } = yield* create(projectId, { backup: { enabled: false } })
    assert.deepInclude(plain, { status: "pending" })
    assert.isNull((yield* show(projectId)).backup)
    assert.deepStrictEqual(yield* archivesOf(projectId), [])
    assert.deepStrictEqual(yield* objects(projectId, "schedules"), [])
    const cluster = yield* objectOf(projectId, "clusters", "orders")
    assert.isUndefined(at(cluster, "spec", "backup"))
    yield* inTime(removeDatabase(projectId, "postgres", orders.name))
    assert.deepStrictEqual((yield* inTime(listDatabases(projectId))).databases, [])
  }).pipe(Effect.provide(Simulated))
)

it.effect("databases without a schedule of their own are backed up daily, at different times", () =>
  Effect.gen(function* () {
    const names = Array.from({ length: 50 }, (_, index) => `db-${index}`)
    const schedules = names.map((name) => backupSettings({ projectId: "p", name }, { enabled: true })?.schedule)
    for (const schedule of schedules) {
      yield* Schema.decodeUnknownEffect(BackupSchedule)(schedule)
      assert.match(schedule ?? "", /^0 [1-5]?\d [1-4] \* \* \*$/)
    }
    assert.isAbove(new Set(schedules).size, 40)
    assert.strictEqual(backupSettings({ projectId: "p", name: "db-1" }, { enabled: true })?.schedule, schedules[1])
    assert.isUndefined(backupSettings({ projectId: "p", name: "db-1" }, { enabled: false, schedule: "0 0 1 * * *" }))
    assert.isUndefined(backupSettings({ projectId: "p", name: "db-1" }, undefined))
  })
)
