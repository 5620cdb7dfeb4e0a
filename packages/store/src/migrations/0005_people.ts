import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The columns of members, and further conditions of credentials. */
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
  // Millisecond precision, as in the JSON that clients read, so that cursors match the order.
  yield* sql`ALTER TABLE credentials ALTER COLUMN created_at TYPE timestamptz(3)`
  yield* sql`ALTER TABLE tenants ALTER COLUMN created_at TYPE timestamptz(3)`
  // For lookups of a member's address without regard to case.
  yield* sql`CREATE INDEX credentials_email ON credentials (lower(email)) WHERE kind = 'member'`
  // Members from before roles existed have tier 2, like a full member.
  yield* sql`UPDATE credentials SET role = 'customer', email = label, display_name = label WHERE kind = 'member'`
})
