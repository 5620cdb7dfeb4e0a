import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Lists of credentials by their kind, and of those that were not used for long. */
export const unusedCredentials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE credentials
      -- The day of the last use, or of the creation, UTC. The time itself is in no index: it changes every minute, and
      -- PostgreSQL rewrites all index entries of a row whose indexed columns change.
      ADD COLUMN idle_since timestamptz(3) NOT NULL DEFAULT date_trunc('day', now(), 'UTC')`
  yield* sql`
    UPDATE credentials SET idle_since = date_trunc('day', COALESCE(last_used_at, created_at), 'UTC')`
  // The kind comes first, because a list of one kind must not read the rows of the other.
  for (const [name, columns] of [
    ["credentials_idle_of_project", sql`project_id, kind, idle_since, credential_id`],
    ["credentials_idle_of_all", sql`kind, idle_since, credential_id`]
  ] as const) {
    yield* sql`
      CREATE INDEX ${sql(name)} ON credentials (${columns})
      WHERE kind <> 'member' AND state <> 'minting' AND state <> 'revoked'`
  }
  // The pages of a list of all keys, as 0028 has those of agents. Those of one project are found by the index above.
  yield* sql`
    CREATE INDEX keys_page_of_all ON credentials (created_at, credential_id)
    WHERE kind = 'api-key' AND state <> 'minting'`
})
