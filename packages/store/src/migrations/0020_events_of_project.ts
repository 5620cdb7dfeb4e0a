import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const eventsOfProject = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A generated column of the envelope, so that the two never differ. Existing rows get it too.
  yield* sql`ALTER TABLE events ADD COLUMN project_id text GENERATED ALWAYS AS (envelope->>'project_id') STORED`
  yield* sql`CREATE INDEX events_of_project ON events (project_id, topic, sequence)`
})
