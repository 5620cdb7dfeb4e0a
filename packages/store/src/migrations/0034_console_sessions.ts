import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Sessions of people in a console. */
export const consoleSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE console_sessions (
      -- SHA-256 of the cookie
      session_hash text PRIMARY KEY,
      plane text NOT NULL,
      -- the user id at the identity provider
      person text NOT NULL,
      -- the session's tokens; empty once nothing is left to revoke
      sealed text NOT NULL,
      -- SHA-256 of the last access token that a page was given, and when that ends
      access_hash text NOT NULL,
      access_ends timestamptz(3) NOT NULL,
      -- the hash of the one before, which other windows may hold for a moment
      former_hash text,
      renewed_at timestamptz(3) NOT NULL,
      -- when the row is of no use any more
      expires_at timestamptz(3) NOT NULL,
      -- who renews or revokes, and until when; a lease that has run out is a call whose outcome is unknown
      lease uuid,
      lease_ends timestamptz(3),
      -- when it was ended; it stays so
      ended_at timestamptz(3),
      -- when its tokens are to be revoked; null while it is in use, and afterwards
      due_at timestamptz(3),
      failures integer NOT NULL DEFAULT 0
    )`
  yield* sql`CREATE INDEX console_sessions_person ON console_sessions (person)`
  yield* sql`CREATE INDEX console_sessions_expiry ON console_sessions (expires_at)`
  yield* sql`CREATE INDEX console_sessions_due ON console_sessions (due_at) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX console_sessions_ended ON console_sessions (access_hash) WHERE ended_at IS NOT NULL`
  yield* sql`CREATE INDEX console_sessions_ended_before ON console_sessions (former_hash) WHERE ended_at IS NOT NULL`
})
