import { assert, describe, it } from "@effect/vitest"
import { backupView, recoverable } from "@portico/domain/databases/backups"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const now = "2026-03-01T12:00:00Z"
const folder = "orders-1a2b3c4d"

const clusterWith = (status: Readonly<Record<string, unknown>>): KubernetesObject => ({
  metadata: {
    name: "orders",
    namespace: "db-p",
    creationTimestamp: "2026-02-01T00:00:00Z",
    annotations: { "portico/backup-schedule": "0 30 2 * * *" }
  },
  spec: { backup: { retentionPolicy: "30d", barmanObjectStore: { serverName: folder } } },
  status
})

const backup = (
  stoppedAt: string,
  change: Readonly<Record<string, unknown>> = {},
  of = "orders"
): KubernetesObject => ({
  metadata: { name: stoppedAt, creationTimestamp: stoppedAt },
  spec: { cluster: { name: of } },
  status: { phase: "completed", serverName: folder, stoppedAt, ...change }
})

const archiving = (status: string) => ({ conditions: [{ type: "ContinuousArchiving", status }] })

const unused = () => Effect.die("not asked for")

/** An API server that does nothing but list. */
const listing = (list: () => Effect.Effect<ReadonlyArray<KubernetesObject>>) =>
  Layer.succeed(
    Kubernetes,
    Kubernetes.of({
      present: true,
      list,
      fold: (_, _options, initial, add) => Effect.map(list(), (found) => found.reduce(add, initial)),
      find: unused,
      apply: unused,
      create: unused,
      admits: unused,
      merge: unused,
      remove: unused
    })
  )

/** What the detail says of a cluster in a namespace with these backups. */
const viewOf = (cluster: KubernetesObject, backups: ReadonlyArray<KubernetesObject> = []) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse(now))
    return { view: yield* backupView(cluster), window: (yield* recoverable(cluster)).window }
  }).pipe(Effect.provide(listing(() => Effect.succeed(backups))))

const first = "2026-02-01T00:10:00Z"
const day = "2026-02-28T02:31:00Z"

describe("a database's recovery window", () => {
  it.effect("is null before the first backup, although WAL is archived already", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* viewOf(clusterWith(archiving("True")))).view, {
        enabled: true,
        schedule: "0 30 2 * * *",
        retention_days: 30,
        earliest_recovery_point: null,
        latest_recovery_point: null,
        last_successful_at: null
      })
    })
  )

  it.effect("is null for a cluster without a status", () =>
    Effect.gen(function* () {
      const { status: _, ...silent } = clusterWith({})
      const { view, window } = yield* viewOf(silent)
      assert.deepInclude(view, { earliest_recovery_point: null, last_successful_at: null })
      assert.isUndefined(window)
    })
  )

  it.effect("reaches from the end of the first backup to the last archived WAL", () =>
    Effect.gen(function* () {
      const cluster = clusterWith({ ...archiving("True"), firstRecoverabilityPoint: first })
      const { view } = yield* viewOf(cluster, [backup(first), backup(day)])
      assert.deepInclude(view, {
        earliest_recovery_point: "2026-02-01T00:10:01.000Z",
        latest_recovery_point: "2026-03-01T11:55:00.000Z",
        last_successful_at: "2026-02-28T02:31:00.000Z"
      })
    })
  )

  it.effect("does not end before it begins, just after the first backup", () =>
    Effect.gen(function* () {
      const justNow = "2026-03-01T11:58:00Z"
      const cluster = clusterWith({ ...archiving("True"), firstRecoverabilityPoint: justNow })
      assert.deepInclude((yield* viewOf(cluster, [backup(justNow)])).view, {
        earliest_recovery_point: "2026-03-01T11:58:01.000Z",
        latest_recovery_point: "2026-03-01T11:58:01.000Z"
      })
    })
  )

  for (const conditions of [archiving("False"), archiving("Unknown"), { conditions: [] }, {}]) {
    it.effect(`has no end without archiving, but allows the last backup's: ${JSON.stringify(conditions)}`, () =>
      Effect.gen(function* () {
        const cluster = clusterWith({ ...conditions, firstRecoverabilityPoint: first })
        const { view, window } = yield* viewOf(cluster, [backup(first), backup(day)])
        assert.isNull(view?.latest_recovery_point)
        assert.strictEqual(window?.latest.epochMilliseconds, Date.parse(day))
      })
    )
  }
})

/** What counts as the newest completed backup, and what does not. */
const rows: ReadonlyArray<
  readonly [what: string, backups: ReadonlyArray<KubernetesObject>, status: object, last: string | null]
> = [
  ["the newest of several, in any order", [backup(day), backup(first)], {}, day],
  [
    "one in another zone, by its moment",
    [backup("2026-02-28T02:31:00+01:00"), backup(first)],
    {},
    "2026-02-28T01:31:00Z"
  ],
  ["a completed backup, not a failed one", [backup(first), backup(day, { phase: "failed" })], {}, first],
  ["a completed backup, not a running one", [backup(first), backup(day, { phase: "running" })], {}, first],
  ["a backup with an end, not one without", [backup(first), backup(day, { stoppedAt: undefined })], {}, first],
  ["its own backup, not another database's", [backup(first), backup(day, {}, "orders-2")], {}, first],
  [
    "no backup, when they are of an earlier database of the same name",
    [backup(day, { serverName: "orders-00000000" })],
    {},
    null
  ],
  ["a manual backup", [backup(first), backup(day, { method: "volumeSnapshot", serverName: undefined })], {}, day],
  [
    "no snapshot that is older than the database",
    [backup("2026-01-31T00:00:00Z", { serverName: undefined })],
    {},
    null
  ],
  ["the operator's status, without a list", [], { lastSuccessfulBackup: day }, day],
  ["the list, when it is newer than what the operator says", [backup(day)], { lastSuccessfulBackup: first }, day],
  ["no backup, when the operator's time is malformed", [], { lastSuccessfulBackup: "yesterday" }, null]
]

describe("last_successful_at", () => {
  for (const [what, backups, status, last] of rows) {
    it.effect(`is taken from ${what}`, () =>
      Effect.gen(function* () {
        const { view } = yield* viewOf(clusterWith({ ...status }), backups)
        assert.strictEqual(view?.last_successful_at, last === null ? null : new Date(last).toISOString())
      })
    )
  }
})

it.effect("a database without backups is null, without a call", () =>
  Effect.gen(function* () {
    const plain = { metadata: { name: "orders", namespace: "db-p" }, spec: { instances: 1 } }
    assert.isNull(yield* Effect.provide(backupView(plain), listing(unused)))
  })
)

it.effect("a long list is folded page by page, and fails beyond its maximum of pages", () =>
  Effect.gen(function* () {
    const { apply, fold } = yield* Kubernetes
    const namespace = "db-pages"
    yield* apply(kinds.namespace, { name: namespace }, {})
    const spec = { schedule: "0 30 2 * * *", backupOwnerReference: "none", cluster: { name: "orders" } }
    for (const name of ["a", "b", "c"]) yield* apply(kinds.scheduledBackup, { namespace, name }, { fields: { spec } })
    // Only the last page adds to what is asked for.
    const inPages = (pages: number) =>
      fold(kinds.scheduledBackup, { namespace, limit: 1, pages }, 0, (sum, _) =>
        _.metadata.name === "c" ? sum + 1 : sum
      )
    assert.strictEqual(yield* inPages(3), 1)
    assert.strictEqual((yield* Effect.flip(inPages(2))).detail, "its list does not end after 2 pages")
  }).pipe(Effect.provide(Simulated))
)
