import { assert, describe, it } from "@effect/vitest"
import type { FailureCode } from "@portico/contract/Failures"
import { type DatabaseRestore, restoredNameLength } from "@portico/contract/Databases"
import { PointInTime } from "@portico/contract/PointInTime"
import { createDatabase } from "@portico/domain/databases/create"
import { showCredentials } from "@portico/domain/databases/credentials"
import { at } from "@portico/domain/kubernetes/fields"
import { removeDatabase } from "@portico/domain/databases/remove"
import { resizeDatabase } from "@portico/domain/databases/resize"
import { recoveryTargetTime } from "@portico/domain/databases/recoveryTarget"
import { restoreDatabase } from "@portico/domain/databases/restore"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Clock, DateTime, Effect, Fiber, Schema } from "effect"
import * as fc from "fast-check"
import { archived, create, folderOf, minutes, objectOf, objects, orders, restore, show, archivesOf } from "./backups.ts"
import { everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, settle } from "@portico/testing/clock"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { objectStorageUrl } from "@portico/testing/cloud/Simulated"

/** A tenant whose database made its first backup an hour ago, and has written since. */
const seed = await seedOf(
  Effect.gen(function* () {
    const projectId = yield* tenantOf("standard")
    // At noon, so that no second backup comes between.
    yield* create(projectId, { backup: { enabled: true, schedule: "0 0 12 * * *" } })
    yield* minutes(65)
    return projectId
  })
)
const anHourLater = from(seed)

const ago = Effect.fnUntraced(function* (duration: { readonly minutes: number }) {
  return DateTime.formatIso(DateTime.subtract(yield* DateTime.now, duration))
})

it.effect("a restore without a point in time copies the newest state, with an archive of its own", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const source = yield* objectOf(projectId, "clusters", "orders")
      const record = yield* restore(projectId)
      assert.deepInclude(record, {
        engine: "postgres",
        name: "orders-copy",
        version: "17",
        size_gb: 10,
        replicas: 1,
        status: "pending",
        restored_from: "orders"
      })
      assert.deepInclude((yield* show(projectId)).backup, record.backup)

      const copy = yield* objectOf(projectId, "clusters", "orders-copy")
      const folder = yield* folderOf(projectId)
      assert.deepStrictEqual(at(copy, "spec", "bootstrap"), {
        recovery: { source: "orders", database: "app", owner: "app" }
      })
      assert.deepStrictEqual(at(copy, "spec", "externalClusters"), [
        {
          name: "orders",
          barmanObjectStore: {
            destinationPath: `s3://${(yield* archivesOf(projectId))[0]?.bucket}/`,
            endpointURL: objectStorageUrl,
            serverName: folder,
            s3Credentials: {
              accessKeyId: { name: "portico-archive", key: "ACCESS_KEY_ID" },
              secretAccessKey: { name: "portico-archive", key: "ACCESS_SECRET_KEY" }
            }
          }
        }
      ])
      assert.strictEqual(at(copy, "spec", "imageName"), at(source, "spec", "imageName"))
      const own = yield* folderOf(projectId, "orders-copy")
      assert.match(own, /^orders-copy-[0-9a-f]{8}$/)

      yield* minutes(10)
      const detail = yield* show(projectId, "orders-copy")
      assert.deepInclude(detail, { status: "ready", ready: true, restored_from: "orders" })
      // Its own first backup, in its own folder.
      assert.isNotNull(detail.backup?.last_successful_at)
      assert.isTrue((yield* archived(projectId, own)).some((_) => _.startsWith(`${own}/base/`)))

      const now = yield* objectOf(projectId, "clusters", "orders")
      assert.deepStrictEqual(at(now, "spec"), at(source, "spec"))
      assert.deepStrictEqual(now.metadata.uid, source.metadata.uid)
      assert.strictEqual((yield* show(projectId)).status, "ready")
    })
  )
)

it.effect("a source with its size in the claim template has that size", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const cluster = yield* objectOf(projectId, "clusters", "orders")
      const storage = { pvcTemplate: { resources: { requests: { storage: "10Gi" } } } }
      // Written past the webhook of the simulated operator, which knows the other form alone.
      Object.assign(cluster, { spec: { ...Object(at(cluster, "spec")), storage } })
      assert.deepInclude(yield* Effect.flip(restore(projectId, { size_gb: 9 })), { code: "restore_too_small" })
      assert.strictEqual((yield* restore(projectId)).size_gb, 10)
    })
  )
)

it.effect("a restore to a point in time uses it in UTC, to the microsecond", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const moment = yield* ago({ minutes: 30 })
      const local = DateTime.formatIsoOffset(
        DateTime.setZone(DateTime.makeUnsafe(moment), DateTime.zoneMakeOffset(19_800_000))
      )
      yield* restore(projectId, { to_point_in_time: local.replace(/(\.\d+)?\+/, ".123456789+") })
      const copy = yield* objectOf(projectId, "clusters", "orders-copy")
      assert.deepStrictEqual(at(copy, "spec", "bootstrap", "recovery", "recoveryTarget"), {
        targetTime: `${moment.slice(0, 19).replace("T", " ")}.123456+00:00`
      })
      yield* minutes(10)
      assert.strictEqual((yield* show(projectId, "orders-copy")).status, "ready")
    })
  )
)

describe("a recovery target", () => {
  const spellings = [
    ["2026-01-31T12:00:00Z", "2026-01-31 12:00:00+00:00"],
    ["2026-01-31t12:00:00z", "2026-01-31 12:00:00+00:00"],
    ["2026-01-31T12:00:00+05:30", "2026-01-31 06:30:00+00:00"],
    ["2026-01-31T23:30:00.25-12:45", "2026-02-01 12:15:00.25+00:00"],
    ["2026-01-31T12:00:00-00:00", "2026-01-31 12:00:00+00:00"],
    ["2026-01-31T12:00:00+00:00", "2026-01-31 12:00:00+00:00"],
    ["2026-01-31T12:00:00.1Z", "2026-01-31 12:00:00.1+00:00"],
    ["2026-01-31t12:00:00.123456789+01:00", "2026-01-31 11:00:00.123456+00:00"],
    ["2026-01-31T12:00:00.000000999Z", "2026-01-31 12:00:00.000000+00:00"],
    ["2028-02-29T23:59:59Z", "2028-02-29 23:59:59+00:00"],
    ["2028-03-01T00:59:59+01:00", "2028-02-29 23:59:59+00:00"],
    ["0001-01-01T00:00:00Z", "0001-01-01 00:00:00+00:00"]
  ] as const

  for (const [given, target] of spellings) {
    it.effect(`of ${given} is in PostgreSQL's form`, () =>
      Effect.gen(function* () {
        assert.strictEqual(recoveryTargetTime(yield* Schema.decodeUnknownEffect(PointInTime)(given)), target)
      })
    )
  }

  it("has one form for each point in time", () => {
    const moment = fc.tuple(
      fc.date({ min: new Date("1970-01-01"), max: new Date("2999-12-31"), noInvalidDate: true }),
      fc.integer({ min: -840, max: 840 }),
      fc.stringMatching(/^(\.\d{1,9})?$/)
    )
    fc.assert(
      fc.property(moment, ([date, minutes, fraction]) => {
        const whole = new Date(Math.floor(date.getTime() / 1000) * 1000)
        const local = new Date(whole.getTime() + minutes * 60_000).toISOString().slice(0, 19)
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((_) =>
          String(_).padStart(2, "0")
        )
        const point = `${local}${fraction}${minutes < 0 ? "-" : "+"}${hours}:${rest}`
        const expected = `${whole.toISOString().slice(0, 19).replace("T", " ")}${fraction.slice(0, 7)}+00:00`
        assert.strictEqual(recoveryTargetTime(Schema.decodeUnknownSync(PointInTime)(point)), expected)
      })
    )
  })
})

it.effect("both ends of the recovery window can be restored", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const { backup } = yield* show(projectId)
      const ends = [backup?.earliest_recovery_point, backup?.latest_recovery_point]
      for (const [index, point] of ends.entries()) {
        assert.isString(point)
        yield* restore(projectId, { name: `copy-${index}`, to_point_in_time: point ?? "" })
      }
      yield* minutes(10)
      for (const index of ends.keys()) assert.strictEqual((yield* show(projectId, `copy-${index}`)).status, "ready")
    })
  )
)

it.effect("a copy has its own password, more storage and instances on request, and can be copied", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const record = yield* restore(projectId, { size_gb: 20, replicas: 2 })
      assert.deepInclude(record, { size_gb: 20, replicas: 2 })
      yield* minutes(10)
      const passwords = yield* Effect.forEach(["orders", "orders-copy"], (name) =>
        Effect.map(inTime(showCredentials(projectId, "postgres", name)), (_) => ("password" in _ ? _.password : ""))
      )
      assert.notStrictEqual(passwords[0], passwords[1])
      yield* restore(projectId, { name: "second" }, { engine: "postgres", name: "orders-copy" })
      yield* minutes(10)
      assert.deepInclude(yield* show(projectId, "second"), {
        status: "ready",
        restored_from: "orders-copy",
        size_gb: 20,
        replicas: 2
      })
    })
  )
)

it.effect("a copy has the longest name that a restore takes", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const name = "r".repeat(restoredNameLength)
      yield* restore(projectId, { name })
      yield* minutes(10)
      assert.strictEqual((yield* show(projectId, name)).status, "ready")
    })
  )
)

it.effect("a copy stays when its source is deleted, and names its source", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      yield* restore(projectId)
      yield* minutes(10)
      yield* inTime(removeDatabase(projectId, "postgres", "orders"))
      yield* minutes(2)
      assert.deepInclude(yield* show(projectId, "orders-copy"), { status: "ready", restored_from: "orders" })
      assert.lengthOf(yield* objects(projectId, "schedules"), 1)
    })
  )
)

it.effect("a copy begins with its source's present size", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      yield* inTime(resizeDatabase(projectId, "postgres", "orders", { size_gb: 12 }))
      assert.deepInclude(yield* Effect.flip(restore(projectId, { size_gb: 11 })), { code: "restore_too_small" })
      assert.strictEqual((yield* restore(projectId)).size_gb, 12)
    })
  )
)

interface Refusal {
  readonly tag: "Conflict" | "Unprocessable" | "NotFound"
  readonly code: FailureCode
  readonly change?: Partial<DatabaseRestore>
  /** So many minutes ago. */
  readonly point?: number
  readonly of?: { readonly engine: string; readonly name: string }
}

const outside = { tag: "Unprocessable", code: "outside_recovery_window" } as const
const unarchived = { tag: "Conflict", code: "recovery_point_not_archived" } as const
const absent = { tag: "NotFound", code: "database_not_found" } as const

const refusals: Readonly<Record<string, Refusal>> = {
  "a moment before the first backup": { ...outside, point: 70 },
  "a moment long ago": { ...outside, change: { to_point_in_time: "0001-01-01T00:00:00Z" } },
  "a moment that is not archived yet": { ...unarchived, point: 4 },
  "a moment in the future": { ...unarchived, point: -1 },
  "less room than the source has": { tag: "Unprocessable", code: "restore_too_small", change: { size_gb: 9 } },
  "the source's own name": { tag: "Conflict", code: "database_exists", change: { name: "orders" } },
  "more than any database can have": {
    tag: "Unprocessable",
    code: "database_too_large",
    change: { size_gb: 101, replicas: 3 }
  },
  "a source that is not there": { ...absent, of: { engine: "postgres", name: "absent" } },
  "a kafka that is not there": { ...absent, of: { engine: "kafka", name: "orders" } },
  "an unknown engine": { ...absent, of: { engine: "mysql", name: "orders" } },
  "a name that can be none": { ...absent, of: { engine: "postgres", name: "Orders_1" } }
}

describe("a restore is refused, and changes nothing, for", () => {
  for (const [what, { change, code, of = orders, point, tag }] of Object.entries(refusals)) {
    it.effect(what, () =>
      anHourLater((projectId) =>
        Effect.gen(function* () {
          const before = yield* everything
          const target = point === undefined ? {} : { to_point_in_time: yield* ago({ minutes: point }) }
          const failure = yield* Effect.flip(restoreDatabase(projectId, of, { name: "copy", ...change, ...target }))
          assert.deepStrictEqual<readonly [string, FailureCode]>([failure._tag, failure.code], [tag, code])
          assert.deepStrictEqual(yield* everything, before)
        })
      )
    )
  }

  it.effect("more than the tier allows, with the numbers", () =>
    anHourLater((projectId) =>
      Effect.gen(function* () {
        yield* create(projectId, { name: "big", size_gb: 100, replicas: 3, backup: { enabled: false } })
        const before = yield* everything
        assert.deepInclude(yield* Effect.flip(restore(projectId, { size_gb: 91 })), {
          code: "ceiling_reached",
          ceiling: { requested: 91, used: 310, limit: 400, remaining: 90 }
        })
        assert.deepStrictEqual(yield* everything, before)
        yield* restore(projectId, { size_gb: 90 })
      })
    )
  )

  it.effect("a source without backups", () =>
    anHourLater((projectId) =>
      Effect.gen(function* () {
        yield* create(projectId, { name: "plain", backup: { enabled: false } })
        const failure = yield* Effect.flip(restore(projectId, {}, { engine: "postgres", name: "plain" }))
        assert.deepInclude(failure, {
          _tag: "Unprocessable",
          code: "backups_not_enabled",
          detail: "Database 'plain' was created without backups, so there is nothing to restore it from"
        })
      })
    )
  )

  it.effect("kafka", () =>
    anHourLater((projectId) =>
      Effect.gen(function* () {
        yield* inTime(createDatabase(projectId, { engine: "kafka", name: "stream", version: "4.3.1", size_gb: 5 }))
        const failure = yield* Effect.flip(restore(projectId, {}, { engine: "kafka", name: "stream" }))
        assert.deepInclude(failure, { _tag: "Unprocessable", code: "restore_not_supported" })
      })
    )
  )

  it.effect("a source whose first backup is incomplete", () =>
    anHourLater((projectId) =>
      Effect.gen(function* () {
        yield* create(projectId, { name: "young" })
        const failure = yield* Effect.flip(restore(projectId, {}, { engine: "postgres", name: "young" }))
        assert.deepInclude(failure, { _tag: "Conflict", code: "no_backup_yet" })
      })
    )
  )

  it.effect("another tenant's database, like a missing one", () =>
    anHourLater((projectId) =>
      Effect.gen(function* () {
        const other = yield* tenantOf("standard", "Globex")
        const foreign = yield* Effect.flip(restore(other))
        yield* inTime(removeDatabase(projectId, "postgres", "orders"))
        yield* minutes(1)
        assert.deepStrictEqual(yield* Effect.flip(restore(projectId)), foreign)
      })
    )
  )
})

it.effect("a time outside the window, with both its ends", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const { backup } = yield* show(projectId)
      const point = "2020-01-01T00:00:00.000Z"
      const failure = yield* Effect.flip(restore(projectId, { to_point_in_time: "2020-01-01T01:00:00+01:00" }))
      assert.include(failure.detail, `to_point_in_time ${point} cannot be restored`)
      assert.include(failure.detail, `from ${backup?.earliest_recovery_point} to ${backup?.latest_recovery_point}`)
    })
  )
)

it.effect("while archiving fails, a time after the newest backup is refused, and one before it restored", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const user = world.rgw.users[`tenant$${projectId}`]
      if (user !== undefined) user.user_quota = { ...user.user_quota, enabled: true, max_size: 1 }
      yield* minutes(10)
      const { backup } = yield* show(projectId)
      assert.isNull(backup?.latest_recovery_point)
      const between = yield* ago({ minutes: 40 })
      assert.deepInclude(yield* Effect.flip(restore(projectId, { to_point_in_time: between })), {
        code: "recovery_point_not_archived"
      })
      assert.isBelow(Date.parse(backup?.last_successful_at ?? ""), yield* Clock.currentTimeMillis)
      if (user !== undefined) user.user_quota = { ...user.user_quota, max_size: -1 }
      yield* restore(projectId, { to_point_in_time: backup?.earliest_recovery_point ?? "" })
    })
  )
)

it.effect("of two restores to one name exactly one succeeds", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const both = yield* inTime(
        Effect.all(
          [1, 2].map(() => Effect.result(restoreDatabase(projectId, orders, { name: "copy" }))),
          {
            concurrency: "unbounded"
          }
        )
      )
      assert.deepStrictEqual(both.map((_) => _._tag).toSorted(), ["Failure", "Success"])
      const lost = both.find((_) => _._tag === "Failure")
      assert.deepInclude(lost?._tag === "Failure" ? lost.failure : {}, { code: "database_exists" })
      assert.lengthOf(yield* objects(projectId, "schedules"), 2)
      yield* minutes(10)
      assert.strictEqual((yield* show(projectId, "copy")).status, "ready")
    })
  )
)

it.effect("a restore completes when its caller disconnects", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      const caller = yield* Effect.forkChild(restoreDatabase(projectId, orders, { name: "copy" }))
      while ((yield* cloud.calls).length < 3) yield* settle
      yield* Fiber.interrupt(caller)
      yield* minutes(10)
      assert.deepInclude(yield* show(projectId, "copy"), { status: "ready", restored_from: "orders" })
    })
  )
)

it.effect("an operator restores a deleted database from its archive to a managed one", () =>
  anHourLater((projectId) =>
    Effect.gen(function* () {
      const deleted = yield* objectOf(projectId, "clusters", "orders")
      yield* inTime(removeDatabase(projectId, "postgres", "orders"))
      yield* minutes(2)
      const [last] = yield* objects(projectId, "backups")
      const store = at(deleted, "spec", "backup", "barmanObjectStore")
      const { apply } = yield* Kubernetes
      yield* apply(
        kinds.cluster,
        { namespace: `db-${projectId}`, name: "orders" },
        {
          labels: { "app.kubernetes.io/managed-by": "portico" },
          annotations: { "portico/backup-schedule": "0 0 12 * * *" },
          fields: {
            spec: {
              instances: 1,
              imageName: at(deleted, "spec", "imageName"),
              storage: { size: "10Gi" },
              bootstrap: { recovery: { backup: { name: last?.metadata.name } } },
              backup: {
                retentionPolicy: "30d",
                barmanObjectStore: { ...Object(store), serverName: "orders-by-hand" }
              }
            }
          }
        }
      )
      yield* minutes(5)
      assert.deepInclude(yield* show(projectId), { status: "ready", version: "17" })
      assert.deepInclude((yield* show(projectId)).backup, { schedule: "0 0 12 * * *", retention_days: 30 })
    })
  )
)
