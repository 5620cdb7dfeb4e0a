import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What is known of a person who is a member, and what else binds a credential. */
export const people = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE credentials
      -- of members alone
      ADD COLUMN role text,
      ADD COLUMN billing_access boolean NOT NULL DEFAULT false,
      ADD COLUMN display_name text NOT NULL DEFAULT '',
      ADD COLUMN email text NOT NULL DEFAULT '',
      -- why it is suspended; it is restored when nothing is left here
      ADD COLUMN held jsonb NOT NULL DEFAULT '[]',
      -- CIDR prefixes that it may be used from; everywhere without
      ADD COLUMN networks jsonb,
      ADD COLUMN last_used_at timestamptz,
      ADD COLUMN last_used_from text,
      -- dotted path of the organisation unit that it belongs to
      ADD COLUMN ou text`
  // As precise as what readers of JSON get to see, so that pages can be ordered by it.
  yield* sql`ALTER TABLE credentials ALTER COLUMN created_at TYPE timestamptz(3)`
  yield* sql`ALTER TABLE tenants ALTER COLUMN created_at TYPE timestamptz(3)`
  // A person may be a member whose login changes its case.
  yield* sql`CREATE INDEX credentials_email ON credentials (lower(email)) WHERE kind = 'member'`
  // Members made before there were roles held tier 2, as a full member does.
  yield* sql`UPDATE credentials SET role = 'customer', email = label, display_name = label WHERE kind = 'member'`
})
