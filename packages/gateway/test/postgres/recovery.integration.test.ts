import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { recoveryTargetTime } from "@portico/domain/databases/recoveryTarget"
import { isTargetTime, renderedTarget, targetMoment } from "@portico/simulator/kubernetes/operators/cnpg/recoveryTarget"
import { isHere, named, readingsOf } from "@portico/testing/operators/cloudnativepg"
import { Effect, Option } from "effect"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { eventually } from "../processes/children.ts"
import { account, backup, directory, fresh, initialise, type Server, server, written } from "./Postgres.ts"
import { complete, type Release, releases } from "./releases.ts"

/** A cluster that is restored to this moment, as far as the operator reads it. */
const clusterAt = (targetTime: string) => ({
  metadata: { name: "copy", namespace: "db-1" },
  spec: {
    instances: 1,
    imageName: "ghcr.io/cloudnative-pg/postgresql:17.4",
    storage: { size: "1Gi" },
    bootstrap: { recovery: { source: "orders", database: "app", owner: "app", recoveryTarget: { targetTime } } },
    externalClusters: [
      {
        name: "orders",
        barmanObjectStore: {
          destinationPath: "s3://archive/",
          serverName: "orders-1a2b3c4d",
          s3Credentials: {
            accessKeyId: { name: "archive", key: "ACCESS_KEY_ID" },
            secretAccessKey: { name: "archive", key: "ACCESS_SECRET_KEY" }
          }
        }
      }
    ]
  }
})

/** What the operator says of target times: whether its webhook takes them, and what it writes for PostgreSQL. */
const operatorsOf = (targets: ReadonlyArray<string>) =>
  readingsOf(targets.map((_) => ({ cluster: clusterAt(_) }))).map(({ recovery = "", refused }) => ({
    recovery,
    refused
  }))

/** What the gateway writes for every way in which its API takes a moment. */
const gateways = [
  "2026-01-31T12:00:00Z",
  "2026-01-31t12:00:00z",
  "2026-01-31T12:00:00+05:30",
  "2026-01-31T12:00:00-00:00",
  "2026-01-31T12:00:00.1Z",
  "2026-01-31t12:00:00.123456789-12:45",
  "2028-02-29T23:59:59.999999999Z"
].map(recoveryTargetTime)

/** Other target times that a client of Kubernetes may write. */
const others = [
  "2026-01-31 12:00:00",
  "2026-01-31 12:00:00.5",
  "2026-01-31 12:00:00+00",
  "2026-01-31 12:00:00-00",
  "2026-01-31 12:00:00.123456789+05:30",
  "2026-01-31 12:00:00+05:30:15",
  "2026-01-31 12:00:00-15:59",
  "2026-01-31 12:00:00+16:00",
  "2026-01-31 12:00:00+05:60",
  "2026-01-31 12:00:00+0530",
  "2026-01-31 12:00:00Z",
  "2026-01-31 12:00:00 UTC",
  "2026-01-31 12:00:00 Europe/Berlin",
  "2026-01-31 12:00",
  "2026-01-31",
  "2026-02-30 12:00:00",
  "2026-01-31 24:00:01",
  "2026-13-01 12:00:00",
  "2026-01-31T12:00:00",
  "2026-01-31T12:00:00.5",
  "2026-01-31T12:00:00Z",
  "2026-01-31T12:00:00.5Z",
  "2026-01-31t12:00:00z",
  "2026-01-31T12:00:00+00:00",
  "2026-01-31T12:00:00-00:00",
  "2026-01-31T12:00:00.123456789+05:30",
  "2026-01-31T12:00:00-05:00",
  "2026-01-31T12:00:00+05",
  "2026-01-31T12:00:00+0530",
  "2026-02-30T12:00:00Z",
  "2026-01-31T24:00:00Z",
  "now",
  "yesterday",
  "epoch",
  "infinity",
  "1769860800"
]

/** Whether PostgreSQL reads its configuration with these lines. */
const reads = (release: Release, data: string, lines: string) =>
  Effect.map(written(join(data, "custom.conf"), lines), () => {
    const args = ["-D", data, "-C", "recovery_target_time"]
    const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }
    return spawnSync(join(release.bin, "postgres"), args, { ...account, cwd: "/", env }).status === 0
  })

const included = (data: string) =>
  written(join(data, "postgresql.auto.conf"), `include '${join(data, "custom.conf")}'\n`)

describe("the target time of a recovery", () => {
  const skipped = complete === undefined || !isHere

  it.live.skipIf(skipped)(named("is parsed alike by the operator, the simulated one and PostgreSQL"), () =>
    Effect.gen(function* () {
      const targets = [...gateways, ...others]
      const operators = operatorsOf(targets)
      assert.deepStrictEqual(
        targets.map((_) => [_, isTargetTime(_)]),
        targets.map((_, n) => [_, operators[n]?.refused === undefined])
      )
      const taken = targets.filter(isTargetTime)
      assert.deepStrictEqual(
        taken.map((_) => `recovery_target_time = '${renderedTarget(_)}'\nrecovery_target_inclusive = true\n`),
        operatorsOf(taken).map((_) => _.recovery)
      )
      for (const release of releases) {
        const data = join(yield* directory, "data")
        yield* initialise(release, data)
        yield* included(data)
        const starts = yield* Effect.forEach(operatorsOf(taken), (_) => reads(release, data, _.recovery))
        assert.deepStrictEqual(
          taken.map((_) => [_, Option.isSome(targetMoment(_))]),
          taken.map((_, n) => [_, starts[n]]),
          `PostgreSQL ${release.version}`
        )
        assert.deepStrictEqual(
          gateways.filter((_) => !starts[taken.indexOf(_)]),
          [],
          `PostgreSQL ${release.version}`
        )
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live.skipIf(skipped)(named("is the time that PostgreSQL recovers to"), () =>
    Effect.gen(function* () {
      const started = yield* fresh(complete ?? (yield* Effect.die("skipped")))
      const read = [...gateways, ...others].filter((_) => Option.isSome(targetMoment(_)))
      assert.isAbove(read.length, 15)
      const values = read.map((_) => `('${renderedTarget(_)}'::timestamptz)`).join(", ")
      const epochs = yield* started.psql(
        "portico",
        `SELECT floor(extract(epoch FROM column1) * 1000) FROM (VALUES ${values}) AS given`
      )
      assert.deepStrictEqual(
        read.map((_) => [_, Option.getOrNull(targetMoment(_))]),
        epochs.split("\n").map((_, n) => [read[n] ?? "", Number(_)])
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  /** How a client spells a moment that the database tells in UTC, to the microsecond. */
  const spellings: ReadonlyArray<(utc: string) => string> = [
    (_) => `${_}Z`,
    (_) => `${_.toLowerCase()}z`,
    (_) => `${_}-00:00`,
    (_) => {
      const local = new Date(Date.parse(`${_.slice(0, 19)}Z`) + 19_800_000).toISOString().slice(0, 19)
      return `${local}${_.slice(19)}789+05:30`
    }
  ]

  for (const [index, release] of releases.entries()) {
    it.live.skipIf(skipped)(named(`ends a recovery of PostgreSQL ${release.version} at the requested time`), () =>
      Effect.gen(function* () {
        const log = yield* directory
        const source = yield* fresh(release, {
          archive_mode: "on",
          archive_command: `cp %p ${log}/%f`,
          wal_level: "replica"
        })
        const data = join(yield* directory, "data")
        yield* backup(source, data)
        yield* source.psql("portico", "CREATE TABLE seen (what text)")
        yield* source.psql("portico", "INSERT INTO seen VALUES ('before')")
        const moment = yield* source.psql(
          "portico",
          `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`
        )
        yield* source.psql("portico", "INSERT INTO seen VALUES ('after')")
        yield* archived(source)
        yield* source.stop

        const spelled = spellings[index % spellings.length]?.(moment) ?? ""
        const [reading] = operatorsOf([recoveryTargetTime(spelled)])
        assert.isUndefined(reading?.refused, spelled)
        // The operator's lines, but for the program that fetches the log from the archive.
        const lines = `recovery_target_action = promote\nrestore_command = 'cp ${log}/%f %p'\n\n${reading?.recovery}`
        yield* included(data)
        assert.isTrue(yield* reads(release, data, lines), `PostgreSQL refuses ${lines}`)
        yield* written(join(data, "recovery.signal"), "")
        const copy = yield* server(release, data)
        yield* eventually(Effect.filterOrFail(copy.psql("portico", "SELECT pg_is_in_recovery()"), (_) => _ === "f"))
        assert.strictEqual(yield* copy.psql("portico", "SELECT string_agg(what, ' ') FROM seen"), "before", spelled)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }
})

/** Waits until everything that was written is in the archive. */
const archived = Effect.fnUntraced(function* (source: Server) {
  const last = yield* source.psql("portico", "SELECT pg_walfile_name(pg_switch_wal())")
  const newest = source.psql("portico", "SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver")
  yield* eventually(Effect.filterOrFail(newest, (_) => _ >= last))
})
