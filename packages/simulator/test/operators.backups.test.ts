import { assert, it } from "@effect/vitest"
import { parseSchedule } from "@portico/simulator/kubernetes/operators/cnpg/cron"
import { noQuota } from "@portico/simulator/rgw/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { kube } from "./kube.ts"
import {
  archived,
  backupOf,
  change,
  eventsOf,
  get,
  inNamespace,
  makeArchive,
  makeCluster,
  namespace,
  names,
  pathOf,
  seen,
  start,
  statusOf,
  storeOf
} from "./operators.ts"

const Memory = SimulatedCloud.layerMemory

const cnpg = "postgresql.cnpg.io/v1"

const makeBackup = (name: string, cluster = "orders") =>
  kube("POST", pathOf("backups"), {
    json: { apiVersion: cnpg, kind: "Backup", metadata: { name }, spec: { cluster: { name: cluster } } }
  })

const makeSchedule = (name: string, spec: Readonly<Record<string, unknown>>) =>
  kube("POST", pathOf("scheduledbackups"), {
    json: {
      apiVersion: cnpg,
      kind: "ScheduledBackup",
      metadata: { name },
      spec: { cluster: { name: "orders" }, ...spec }
    }
  })

/** A cluster with an archive, healthy. */
const ready = Effect.fnUntraced(function* (serverName = "orders-1a2b") {
  yield* inNamespace()
  yield* makeArchive()
  yield* makeCluster("orders", backupOf(serverName))
  yield* TestClock.adjust("20 seconds")
})

const condition = (cluster: string, type: string) =>
  Effect.map(statusOf("clusters", cluster), (_) => {
    const found = (_.conditions ?? []).find((one: { readonly type: string }) => one.type === type)
    return found === undefined ? undefined : [found.status, found.reason]
  })

it.effect("the log is archived from the start, and a backup adds a base to it", () =>
  Effect.gen(function* () {
    yield* ready()
    assert.deepStrictEqual(yield* archived, ["acme/orders-1a2b/wals/0000000100000000/000000010000000000000001.gz"])
    assert.deepStrictEqual(yield* condition("orders", "ContinuousArchiving"), ["True", "ContinuousArchivingSuccess"])
    yield* makeBackup("first")
    const phases = yield* seen(
      10,
      Effect.map(statusOf("backups", "first"), (_) => _.phase)
    )
    assert.deepStrictEqual(phases, ["started", "running", "completed"])
    const status = yield* statusOf("backups", "first")
    assert.deepInclude(status, {
      backupId: "20260201T000022",
      startedAt: "2026-02-01T00:00:22Z",
      stoppedAt: "2026-02-01T00:00:26Z",
      serverName: "orders-1a2b",
      destinationPath: "s3://archive/acme/",
      method: "barmanObjectStore",
      majorVersion: 17
    })
    assert.includeMembers(
      [...(yield* archived)],
      ["acme/orders-1a2b/base/20260201T000022/backup.info", "acme/orders-1a2b/base/20260201T000022/data.tar"]
    )
    assert.deepInclude(yield* statusOf("clusters", "orders"), {
      firstRecoverabilityPoint: "2026-02-01T00:00:26Z",
      lastSuccessfulBackup: "2026-02-01T00:00:26Z"
    })
    assert.deepStrictEqual(yield* condition("orders", "LastBackupSucceeded"), ["True", "LastBackupSucceeded"])
    assert.deepStrictEqual(yield* eventsOf("Backup"), [
      "Normal Starting: Starting backup for cluster orders",
      "Normal Completed: Backup completed"
    ])
    const segments = Effect.map(archived, (_) => _.filter((key) => key.includes("/wals/")).length)
    assert.strictEqual(yield* segments, 2)
    // What happens to the cluster does not hurry its archiver, nor hold it up.
    yield* change("clusters", "orders", { metadata: { labels: { a: "b" } } })
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* segments, 2)
    yield* TestClock.adjust("9 minutes")
    yield* TestClock.adjust("50 seconds")
    assert.strictEqual(yield* segments, 4)
    const changed = yield* change("backups", "first", { spec: { target: "primary" } })
    assert.include(changed.json.message, "BackupSpec is immutable once set")
  }).pipe(Effect.provide(Memory))
)

it.effect("a backup waits for its cluster, and for a ready instance", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeArchive()
    yield* makeBackup("early")
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(yield* eventsOf("Backup"), [
      "Warning FindingCluster: Unknown cluster orders, will retry in 30 seconds"
    ])
    yield* TestClock.adjust("28 seconds")
    yield* makeCluster("orders", backupOf("orders"))
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* statusOf("backups", "early")).phase, "pending")
    yield* TestClock.adjust("60 seconds")
    assert.strictEqual((yield* statusOf("backups", "early")).phase, "completed")
  }).pipe(Effect.provide(Memory))
)

it.effect.each([
  { what: "the bucket is missing", break: "bucket", words: "Bucket archive does not exist" },
  { what: "the key is no longer accepted", break: "key", words: "An error occurred (403)" },
  { what: "the key has another secret", break: "renewed", words: "An error occurred (403)" },
  { what: "the user has no room", break: "quota", words: "An error occurred (QuotaExceeded)" },
  { what: "the secret is missing", break: "secret", words: 'secrets "archive" not found' }
] as const)("archiving and backups fail with a message where $what, until it is repaired", ({ break: broken, words }) =>
  Effect.gen(function* () {
    yield* ready()
    const { world } = yield* SimulatedCloud
    const { "/archive": bucket } = world.rgw.buckets
    const user = world.rgw.users["acme"]
    if (user === undefined || bucket === undefined) return yield* Effect.die("no archive")
    const { keys, user_quota } = user
    const secret = yield* get("secrets", "archive")
    if (broken === "bucket") delete world.rgw.buckets["/archive"]
    if (broken === "key") user.keys = []
    if (broken === "renewed") user.keys = keys.map((_) => ({ ..._, secret_key: "another" }))
    if (broken === "quota")
      user.user_quota = { ...noQuota, enabled: true, max_size: bucket.size_actual, max_objects: -1 }
    if (broken === "secret") yield* kube("DELETE", pathOf("secrets", "archive"))
    yield* makeBackup("broken")
    yield* TestClock.adjust("10 seconds")
    const status = yield* statusOf("backups", "broken")
    assert.deepStrictEqual([status.phase, status.error], ["failed", "exit status 1"])
    assert.include(status.commandError, words)
    assert.deepStrictEqual(yield* condition("orders", "LastBackupSucceeded"), ["False", "LastBackupFailed"])
    assert.isUndefined((yield* statusOf("clusters", "orders")).lastSuccessfulBackup)
    yield* TestClock.adjust("5 minutes")
    assert.deepStrictEqual(yield* condition("orders", "ContinuousArchiving"), ["False", "ContinuousArchivingFailing"])
    // The database itself does not mind.
    assert.strictEqual((yield* statusOf("clusters", "orders")).phase, "Cluster in healthy state")
    world.rgw.buckets["/archive"] = bucket
    user.keys = keys
    user.user_quota = user_quota
    if (broken === "secret") {
      yield* kube("POST", pathOf("secrets"), { json: { metadata: { name: "archive" }, data: secret.data } })
    }
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* condition("orders", "ContinuousArchiving"), ["True", "ContinuousArchivingSuccess"])
    yield* makeBackup("mended")
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual((yield* statusOf("backups", "mended")).phase, "completed")
  }).pipe(Effect.provide(Memory))
)

it.effect("a cluster without an archive has no backups", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeCluster("orders")
    yield* TestClock.adjust("20 seconds")
    yield* makeBackup("none")
    yield* TestClock.adjust("2 seconds")
    const { error, phase } = yield* statusOf("backups", "none")
    assert.deepStrictEqual(
      [phase, error],
      ["failed", "cannot proceed with the backup as the cluster has no backup section"]
    )
    assert.isUndefined(yield* condition("orders", "ContinuousArchiving"))
  }).pipe(Effect.provide(Memory))
)

it.effect("a schedule makes a backup at once if immediate, and then at each due time", () =>
  Effect.gen(function* () {
    yield* ready()
    const made = yield* makeSchedule("daily", {
      schedule: "0 0 2 * * *",
      immediate: true,
      backupOwnerReference: "none"
    })
    assert.deepStrictEqual([made.status, made.json.spec.method], [201, "barmanObjectStore"])
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* names("backups"), ["daily-20260201000021"])
    const first = yield* get("backups", "daily-20260201000021")
    assert.deepInclude(first.metadata.labels, {
      "cnpg.io/scheduled-backup": "daily",
      "cnpg.io/immediateBackup": "true"
    })
    assert.deepStrictEqual([first.metadata.ownerReferences, first.status.phase], [undefined, "completed"])
    assert.deepInclude(yield* statusOf("scheduledbackups", "daily"), {
      lastScheduleTime: "2026-02-01T00:00:21Z",
      nextScheduleTime: "2026-02-01T02:00:00Z"
    })
    yield* TestClock.setTime(Date.parse("2026-02-03T03:00:00Z"))
    assert.deepStrictEqual(yield* names("backups"), [
      "daily-20260201000021",
      "daily-20260201020000",
      "daily-20260202020000",
      "daily-20260203020000"
    ])
    assert.strictEqual((yield* statusOf("clusters", "orders")).lastSuccessfulBackup, "2026-02-03T02:00:06Z")
    yield* change("scheduledbackups", "daily", { spec: { suspend: true } })
    yield* TestClock.setTime(Date.parse("2026-02-04T03:00:00Z"))
    assert.strictEqual((yield* names("backups")).length, 4)
    const moved = yield* change("scheduledbackups", "daily", { spec: { cluster: { name: "other" } } })
    assert.strictEqual(moved.status, 422)
  }).pipe(Effect.provide(Memory))
)

it.effect.each([
  { owner: "none", afterSchedule: 1, afterCluster: 1 },
  { owner: "self", afterSchedule: 0, afterCluster: 1 },
  { owner: "cluster", afterSchedule: 1, afterCluster: 0 }
])(
  "backups owned by $owner are removed with their owner; the archive stays",
  ({ afterCluster, afterSchedule, owner }) =>
    Effect.gen(function* () {
      for (const [gone, left] of [
        ["scheduledbackups", afterSchedule],
        ["clusters", afterCluster]
      ] as const) {
        yield* Effect.gen(function* () {
          yield* ready()
          yield* makeSchedule("daily", { schedule: "0 0 2 * * *", immediate: true, backupOwnerReference: owner })
          yield* TestClock.adjust("30 seconds")
          assert.strictEqual((yield* names("backups")).length, 1)
          const before = yield* archived
          yield* kube("DELETE", pathOf(gone, gone === "clusters" ? "orders" : "daily"))
          yield* TestClock.adjust("5 seconds")
          assert.strictEqual((yield* names("backups")).length, left)
          assert.deepStrictEqual(yield* archived, before)
        }).pipe(Effect.provide(SimulatedCloud.layerMemory, { local: true }))
      }
    })
)

it.effect("backups older than the retention are removed, except the last one before it", () =>
  Effect.gen(function* () {
    yield* inNamespace()
    yield* makeArchive()
    yield* makeCluster("orders", backupOf("orders", "2d"))
    yield* TestClock.adjust("20 seconds")
    yield* makeSchedule("daily", { schedule: "0 0 2 * * *" })
    yield* TestClock.setTime(Date.parse("2026-02-05T03:00:00Z"))
    assert.deepStrictEqual(yield* names("backups"), [
      "daily-20260203020000",
      "daily-20260204020000",
      "daily-20260205020000"
    ])
    assert.strictEqual((yield* statusOf("clusters", "orders")).firstRecoverabilityPoint, "2026-02-03T02:00:06Z")
    const bases = (yield* archived).filter((_) => _.endsWith("backup.info"))
    assert.strictEqual(bases.length, 3)
    const [first = ""] = (yield* archived).filter((_) => _.includes("/wals/"))
    assert.isTrue(first > "acme/orders/wals/0000000100000000/000000010000000000000100")
  }).pipe(Effect.provide(Memory))
)

it.effect("a new cluster of a name stops at the former one's log", () =>
  Effect.gen(function* () {
    yield* ready("orders")
    yield* kube("DELETE", pathOf("clusters", "orders"))
    yield* TestClock.adjust("10 seconds")
    yield* makeCluster("orders", backupOf("orders"))
    yield* TestClock.adjust("2 minutes")
    const status = yield* statusOf("clusters", "orders")
    assert.deepStrictEqual([status.phase, status.readyInstances], ["Setting up primary", 0])
    const [pod = ""] = yield* names("pods")
    assert.match(pod, /^orders-1-initdb-/)
    const log = yield* kube("GET", `${pathOf("pods", pod)}/log`)
    assert.include(log.body, "WAL archive check failed for server orders: Expected empty archive")
    yield* TestClock.adjust("15 minutes")
    assert.include(yield* eventsOf("Job"), "Warning BackoffLimitExceeded: Job has reached the specified backoff limit")
    yield* kube("DELETE", pathOf("clusters", "orders"))
    yield* makeCluster("orders", backupOf("orders-2"))
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* statusOf("clusters", "orders")).phase, "Cluster in healthy state")
  }).pipe(Effect.provide(Memory))
)

const restore = (
  name: string,
  { server = "orders-1a2b", size = "20Gi", target }: { server?: string; size?: string; target?: string } = {},
  spec: Readonly<Record<string, unknown>> = {}
) =>
  makeCluster(name, {
    storage: { size },
    bootstrap: {
      recovery: { source: "origin", ...(target === undefined ? {} : { recoveryTarget: { targetTime: target } }) }
    },
    externalClusters: [{ name: "origin", barmanObjectStore: storeOf(server) }],
    ...backupOf(`${name}-1`),
    ...spec
  })

it.effect("a cluster is recovered from the archive, with a password and an archive of its own", () =>
  Effect.gen(function* () {
    yield* ready()
    yield* makeBackup("first")
    yield* TestClock.adjust("11 minutes")
    yield* restore("restored", { target: "2026-02-01 00:05:00.5+00:00" })
    const phases = yield* seen(
      30,
      Effect.map(statusOf("clusters", "restored"), (_) => _.phase ?? "")
    )
    assert.deepStrictEqual(phases, ["Setting up primary", "Cluster in healthy state"])
    assert.include(yield* eventsOf("Cluster"), "Normal CreatingInstance: Primary instance (from backup)")
    const [one, other] = yield* Effect.all([get("secrets", "orders-app"), get("secrets", "restored-app")])
    assert.notStrictEqual(one.data.password, other.data.password)
    assert.isTrue((yield* archived).some((_) => _.startsWith("acme/restored-1/wals/0000000200000000/")))
    // A restore goes on to a restore of its own.
    yield* kube("DELETE", pathOf("clusters", "orders"))
    yield* restore("again")
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* statusOf("clusters", "again")).phase, "Cluster in healthy state")
  }).pipe(Effect.provide(Memory))
)

it.effect.each([
  { what: "before the first backup", given: { target: "2026-02-01 00:00:10+00" }, words: "no target backup found" },
  {
    what: "in the second in which the first backup ended",
    given: { target: "2026-02-01 00:00:26+00:00" },
    words: "no target backup found"
  },
  {
    what: "in the form of RFC 3339 for UTC",
    given: { target: "2026-02-01T00:05:00Z" },
    words: 'FATAL:  invalid value for parameter "recovery_target_time": "2026-02-01 00:05:00.000000Z"'
  },
  {
    what: "in that form with an offset of zero",
    given: { target: "2026-02-01T00:05:00.25+00:00" },
    words: 'FATAL:  invalid value for parameter "recovery_target_time": "2026-02-01 00:05:00.250000Z"'
  },
  {
    what: "on an invalid date",
    given: { target: "2026-02-30 00:05:00+00:00" },
    words: 'FATAL:  invalid value for parameter "recovery_target_time": "2026-02-30 00:05:00+00:00"'
  },
  {
    what: "after the end of the log",
    given: { target: "2026-02-01T09:00:00+02:00" },
    words: "recovery ended before configured recovery target was reached"
  },
  { what: "of an unknown server", given: { server: "nobody" }, words: "no target backup found" },
  { what: "onto a smaller volume", given: { size: "10Gi" }, words: "No space left on device" },
  {
    what: "with another major version",
    given: {},
    spec: { imageName: "ghcr.io/cloudnative-pg/postgresql:18.1" },
    words: "initialized by PostgreSQL version 17, which is not compatible with this version 18"
  },
  {
    what: "into the source's own archive",
    given: {},
    spec: backupOf("orders-1a2b"),
    words: "Expected empty archive"
  }
])("a recovery $what never becomes ready", ({ given, spec = {}, words }) =>
  Effect.gen(function* () {
    yield* ready()
    yield* makeBackup("first")
    yield* TestClock.adjust("10 seconds")
    yield* restore("restored", given, spec)
    yield* TestClock.adjust("20 minutes")
    const status = yield* statusOf("clusters", "restored")
    assert.deepStrictEqual([status.phase, status.readyInstances], ["Setting up primary", 0])
    const pods = (yield* names("pods")).filter((_) => _.startsWith("restored-1-full-recovery-"))
    assert.strictEqual(pods.length, 7)
    const log = yield* kube("GET", `${pathOf("pods", pods[0] ?? "")}/log`)
    assert.include(log.body, words)
    assert.include(yield* eventsOf("Job"), "Warning BackoffLimitExceeded: Job has reached the specified backoff limit")
    assert.strictEqual((yield* statusOf("clusters", "orders")).phase, "Cluster in healthy state")
  }).pipe(Effect.provide(Memory))
)

it.effect("a recovery's pod has a host name of 63 characters, and so the cluster a name of 47", () =>
  Effect.gen(function* () {
    yield* ready()
    yield* makeBackup("first")
    yield* TestClock.adjust("10 seconds")
    const [fits, tooLong] = ["r".repeat(47), "r".repeat(48)]
    yield* restore(fits)
    yield* restore(tooLong)
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* statusOf("clusters", fits)).phase, "Cluster in healthy state")
    const { phase, phaseReason } = yield* statusOf("clusters", tooLong)
    assert.strictEqual(phase, "Unable to create required cluster objects")
    assert.include(phaseReason, "must be no more than 63 characters")
  }).pipe(Effect.provide(Memory))
)

it.effect("a recovery can name an existing backup, also one whose cluster was removed", () =>
  Effect.gen(function* () {
    yield* ready()
    yield* makeBackup("first")
    yield* TestClock.adjust("10 seconds")
    yield* kube("DELETE", pathOf("clusters", "orders"))
    yield* makeCluster("restored", { bootstrap: { recovery: { backup: { name: "first" } } } })
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* statusOf("clusters", "restored")).phase, "Cluster in healthy state")
  }).pipe(Effect.provide(Memory))
)

it.effect("an invalid schedule is refused, and one of five fields is accepted with a warning", () =>
  Effect.gen(function* () {
    yield* ready()
    const refused = yield* makeSchedule("daily", { schedule: "every day" })
    assert.strictEqual(refused.status, 422)
    assert.strictEqual(
      refused.json.message,
      'admission webhook "vscheduledbackup.cnpg.io" denied the request: ScheduledBackup.postgresql.cnpg.io "daily" is ' +
        'invalid: spec.schedule: Invalid value: "every day": Expected 5 to 6 fields, found 2: every day'
    )
    const five = yield* makeSchedule("five", { schedule: "0 2 * * *" })
    assert.strictEqual(five.status, 201)
    assert.include(five.headers["warning"], "usually six arguments are needed")
    const snapshot = yield* kube("POST", pathOf("backups"), {
      json: {
        apiVersion: cnpg,
        kind: "Backup",
        metadata: { name: "s" },
        spec: { cluster: { name: "orders" }, method: "volumeSnapshot" }
      }
    })
    assert.include(snapshot.json.message, "due to missing VolumeSnapshot CRD")
    assert.strictEqual(namespace, "db-acme")
  }).pipe(Effect.provide(Memory))
)

it.each([
  { text: "0 0 2 * * *", next: "2026-02-01T02:00:00Z" },
  { text: "*/15 * * * * *", next: "2026-02-01T00:00:15Z" },
  { text: "30 5,10 4-6 * * *", next: "2026-02-01T04:05:30Z" },
  // Five fields are those without the day of the week.
  { text: "0 2 * * *", next: "2026-02-01T00:02:00Z" },
  { text: "0 0 0 29 2 *", next: "2028-02-29T00:00:00Z" },
  { text: "0 0 0 13 * fri", next: "2026-02-06T00:00:00Z" },
  { text: "0 0 12 ? * MON-FRI", next: "2026-02-02T12:00:00Z" },
  { text: "@daily", next: "2026-02-02T00:00:00Z" },
  { text: "@every 90m", next: "2026-02-01T01:30:00Z" }
])("a schedule is due: $text", ({ next, text }) => {
  const schedule = Result.getOrThrow(parseSchedule(text))
  assert.strictEqual(new Date(schedule.next(start) ?? 0).toISOString(), next.replace("Z", ".000Z"))
})

it.each([
  { text: "", why: "Empty spec string" },
  { text: "* * * *", why: "Expected 5 to 6 fields, found 4: * * * *" },
  { text: "60 * * * * *", why: "End of range (60) above maximum (59): 60" },
  { text: "0 0 0 0 * *", why: "Beginning of range (0) below minimum (1): 0" },
  { text: "0 0 5-3 * * *", why: "Beginning of range (5) beyond end of range (3): 5-3" },
  { text: "0 0 */0 * * *", why: "Step of range should be a positive number: */0" },
  { text: "@sometimes", why: "Unrecognized descriptor: @sometimes" }
])("an invalid schedule is refused: $text", ({ text, why }) => {
  assert.deepStrictEqual(parseSchedule(text), Result.fail(why))
})

it("a date that does not exist has no next time", () => {
  assert.isUndefined(Result.getOrThrow(parseSchedule("0 0 0 31 2 *")).next(start))
})
