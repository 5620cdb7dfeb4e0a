import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The areas whose tools an agent has switched on for itself. */
export const agentAreas = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE agent_areas (
      user_id text PRIMARY KEY,
      areas jsonb NOT NULL,
      changed_at timestamptz(3) NOT NULL
    )`
  yield* sql`CREATE INDEX agent_areas_changed ON agent_areas (changed_at)`
})
