import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const events = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE events (
      -- in the order of the commits, see EventLog; a session that cached numbers would break it
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL UNIQUE,
      topic text NOT NULL,
      key text NOT NULL,
      at timestamptz NOT NULL,
      envelope jsonb NOT NULL
    )`
  yield* sql`CREATE INDEX events_of_topic ON events (topic, sequence)`
  yield* sql`CREATE INDEX events_age ON events (topic, at)`
})
