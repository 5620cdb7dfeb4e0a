import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tool calls of agents that wait for a person's confirmation. */
export const agentPlans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE agent_plans (
      plan_id text PRIMARY KEY,
      -- the agent that may carry it out
      project_id text NOT NULL,
      user_id text NOT NULL,
      -- the tool, its arguments and what was shown for them: arguments can hold secrets
      sealed text NOT NULL,
      -- when a process began to carry it out; one process does
      taken_at timestamptz(3),
      -- nothing carries it out any more
      ended boolean NOT NULL DEFAULT false,
      expires_at timestamptz(3) NOT NULL
    )`
  yield* sql`CREATE INDEX agent_plans_expiry ON agent_plans (expires_at)`
  yield* sql`CREATE INDEX agent_plans_agent ON agent_plans (project_id, user_id)`
})
