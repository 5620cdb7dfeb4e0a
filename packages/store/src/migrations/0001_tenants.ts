import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const tenants = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE tenants (
      project_id text PRIMARY KEY,
      slug text NOT NULL UNIQUE,
      name text NOT NULL,
      tier text NOT NULL,
      suspended boolean NOT NULL DEFAULT false,
      -- the tier of a quota write that has begun and is not complete
      pending_tier text,
      -- the tiers of such writes before that one, which may still be in force in places
      reached_tiers jsonb NOT NULL DEFAULT '[]',
      -- what the tenant's upstream resources are stamped with
      stamp text NOT NULL,
      change_lease uuid,
      change_ends timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    )`
})
