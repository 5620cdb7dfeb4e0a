import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Incidents and maintenance, published by operators. */
export const incidents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE incidents (
      incident_id text PRIMARY KEY,
      kind text NOT NULL,
      title text NOT NULL,
      services jsonb NOT NULL,
      severity text NOT NULL,
      message text NOT NULL,
      starts_at timestamptz(3) NOT NULL,
      -- null until that is known
      ends_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL
    )`
  yield* sql`CREATE INDEX incidents_ends ON incidents (ends_at)`
})
