import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What tenants decided about their agents, and what is left to do for agents that were ended. */
export const agents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE agent_settings (
      project_id text PRIMARY KEY,
      enabled boolean NOT NULL DEFAULT true,
      confirm jsonb NOT NULL,
      updated_at timestamptz(3),
      updated_by text,
      -- when all agents were last ended
      ended_at timestamptz(3),
      ended_by text
    )`
  yield* sql`
    ALTER TABLE credentials
      -- of a credential that was revoked first: when its user at the identity provider is to be deactivated
      ADD COLUMN deactivate_at timestamptz(3)`
  yield* sql`CREATE INDEX credentials_deactivating ON credentials (deactivate_at) WHERE deactivate_at IS NOT NULL`
  // The pages of a list of agents, of one project and of all projects.
  yield* sql`
    CREATE INDEX agents_page_of_project ON credentials (project_id, created_at, credential_id)
    WHERE kind = 'mcp' AND state <> 'minting'`
  yield* sql`
    CREATE INDEX agents_page_of_all ON credentials (created_at, credential_id) WHERE kind = 'mcp' AND state <> 'minting'`
})
