import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const eventsOfProject = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Of the envelope, so that a row can never say anything else; it is filled for the rows that are there.
  yield* sql`ALTER TABLE events ADD COLUMN project_id text GENERATED ALWAYS AS (envelope->>'project_id') STORED`
  yield* sql`CREATE INDEX events_of_project ON events (project_id, topic, sequence)`
})
