import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Credentials } from "../src/Credentials.ts"
import { EventLog } from "../src/EventLog.ts"
import { Journal } from "../src/Journal.ts"
import { migrations } from "../src/migrations.ts"
import * as Store from "../src/Store.ts"
import { Tenants } from "../src/Tenants.ts"
import { credential } from "./credential.ts"
import { replica } from "./replica.ts"
import { TestDatabase } from "./TestDatabase.ts"

it.live(
  "replicas that start together, and later ones, migrate once",
  Effect.fnUntraced(
    function* () {
      const sql = yield* SqlClient.SqlClient

      yield* Effect.all(
        Array.from({ length: 6 }, () => replica),
        { concurrency: "unbounded" }
      )
      yield* replica

      const run = yield* sql<{ migration: string }>`
        SELECT lpad(migration_id::text, 4, '0') || '_' || name AS migration FROM portico_migrations ORDER BY 1`
      assert.deepStrictEqual(
        run.map((_) => _.migration),
        Object.keys(migrations)
      )
    },
    Effect.scoped,
    Effect.provide(TestDatabase.layer)
  )
)

/** The tables over one connection, which reads a whole table only when no index would do. */
const withoutScans = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    Layer.provideMerge(
      Store.layerNoDeps,
      PgClient.layer({ url, maxConnections: 1, startupParameters: { enable_seqscan: "off" } })
    )
  )
).pipe(Layer.provide(TestDatabase.layerUrl))

it.live(
  "lookups by user, token, project, slug, lease and topic use an index",
  Effect.fnUntraced(function* () {
    const sql = yield* SqlClient.SqlClient
    const tenants = yield* Tenants
    const credentials = yield* Credentials
    const journal = yield* Journal
    const log = yield* EventLog
    const scans = Effect.andThen(
      // Statistics are otherwise up to a second old.
      sql`SELECT pg_stat_force_next_flush()`,
      sql<{ name: string; scans: number }>`
        SELECT indexrelname AS name, idx_scan::int AS scans FROM pg_stat_user_indexes
        UNION ALL SELECT relname, seq_scan::int FROM pg_stat_user_tables`
    ).pipe(Effect.map((rows) => new Map(rows.map((_) => [_.name, _.scans]))))

    const lookups: ReadonlyArray<readonly [index: string, lookup: Effect.Effect<unknown, unknown>]> = [
      ["tenants_pkey", tenants.find("project-1")],
      ["tenants_pkey", tenants.beginChange("project-1", "standard")],
      ["tenants_slug_key", tenants.slugTaken("acme")],
      ["credentials_pkey", credentials.find("1")],
      ["credentials_user_id_key", credentials.findByUser("user-1")],
      ["credentials_pat_hash_key", credentials.findByPat("hash-1")],
      ["credentials_of_project", credentials.list({ projectId: "project-1", includeRevoked: false })],
      ["credentials_of_project", credentials.countLive("project-1")],
      ["credentials_of_project", credentials.insertWithin(credential("1"), 1)],
      ["credentials_minting", credentials.claimAbandonedMints],
      ["onboardings_pkey", journal.find("attempt-1")],
      ["onboardings_pkey", journal.claim("attempt-1")],
      ["onboardings_slug", journal.slugHeld("acme")],
      ["onboardings_lease", journal.claimAbandoned],
      ["events_of_topic", log.page("billing.lifecycle", 0, 100)],
      ["events_age", log.prune("billing.lifecycle", yield* DateTime.now)]
    ]
    for (const [index, lookup] of lookups) {
      const before = yield* scans
      yield* lookup
      const after = yield* scans
      assert.isAbove(after.get(index)!, before.get(index)!, `${index} is not used`)
      for (const table of ["tenants", "credentials", "onboardings", "events"]) {
        assert.strictEqual(after.get(table), before.get(table), `${table} is read whole instead of ${index}`)
      }
    }
  }, Effect.provide(withoutScans))
)
