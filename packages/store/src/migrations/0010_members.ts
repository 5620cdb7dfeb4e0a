import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Invitations and removals under way, and indexes for paged lists of members. */
export const members = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE credentials
      -- the invitation or removal that is at work on a membership, until mint_ends
      ADD COLUMN attempt uuid`
  yield* sql`
    CREATE INDEX credentials_member_page_of_project ON credentials (project_id, created_at, credential_id)
    WHERE kind = 'member' AND state = 'active'`
  yield* sql`
    CREATE INDEX credentials_member_page ON credentials (created_at, credential_id)
    WHERE kind = 'member' AND state = 'active'`
  yield* sql`CREATE INDEX credentials_owners ON credentials (project_id) WHERE role = 'customer-owner'`
  yield* sql`CREATE INDEX credentials_member_due ON credentials (mint_ends) WHERE kind = 'member' AND mint_ends IS NOT NULL`
  yield* sql`CREATE INDEX credentials_created_by ON credentials (created_by) WHERE kind <> 'member'`

  // The sweep also covers a mint that was revoked before it was complete.
  yield* sql`DROP INDEX credentials_minting`
  yield* sql`
    CREATE INDEX credentials_minting ON credentials (mint_ends) WHERE kind <> 'member' AND mint_ends IS NOT NULL`

  // One membership per address. Of several existing ones, the oldest keeps it.
  yield* sql`
    UPDATE credentials AS later SET email = '' WHERE kind = 'member' AND email <> '' AND EXISTS (
      SELECT FROM credentials AS earlier WHERE earlier.kind = 'member' AND lower(earlier.email) = lower(later.email)
        AND (earlier.created_at, earlier.credential_id) < (later.created_at, later.credential_id))`
  yield* sql`DROP INDEX credentials_email`
  yield* sql`CREATE UNIQUE INDEX credentials_email ON credentials (lower(email)) WHERE kind = 'member' AND email <> ''`
})
