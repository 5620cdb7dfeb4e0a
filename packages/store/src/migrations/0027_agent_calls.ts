import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tool calls of agents that are under way, and how much each credential's agent does. */
export const agentCalls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE agent_calls (
      -- the id of the event that records the call
      id uuid PRIMARY KEY,
      -- the event that is appended when nobody ever says what came of the call
      topic text NOT NULL,
      key text NOT NULL,
      at timestamptz(3) NOT NULL,
      envelope jsonb NOT NULL,
      -- until when its process need not show a sign of life, and since when somebody has missed one
      lease_ends timestamptz(3) NOT NULL,
      overdue_since timestamptz(3)
    )`
  yield* sql`CREATE INDEX agent_calls_leases ON agent_calls (lease_ends)`
  yield* sql`
    CREATE TABLE agent_usage (
      -- a machine credential, or a membership whose person acts through an agent
      credential_id text PRIMARY KEY REFERENCES credentials ON DELETE CASCADE,
      calls bigint NOT NULL,
      refused bigint NOT NULL,
      last_tool text,
      last_call_at timestamptz(3) NOT NULL
    )`
})
