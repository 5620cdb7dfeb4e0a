import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Store from "../src/Store.ts"
import { TestDatabase } from "@portico/testing/store/TestDatabase"

/** What another process sees: a pool of its own, and the tables over it, on the same database. */
export const replica = Effect.flatMap(TestDatabase, ({ url }) =>
  Layer.build(Layer.fresh(Layer.provideMerge(Store.layerNoDeps, PgClient.layer({ url }))))
)

/** Until so many sessions wait for a lock that another one holds. */
export const sessionsWaiting = Effect.fnUntraced(function* (sessions: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND datname = current_database()`.pipe(
    Effect.repeat({ until: (rows) => rows.length === sessions })
  )
})

/** Kills other sessions on the database, as a failing network does. */
export const killSessions = Effect.fnUntraced(function* (which: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  const killed = yield* sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${which}`
  return killed.length
})

/** Until a session waits for what another one holds: a row as well, of which no lock is listed by its database. */
export const somebodyWaits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0 })
  )
})
