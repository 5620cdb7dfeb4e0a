import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The queue of signups, and the recent requests for the rate limit. */
export const signups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE signups (
      signup_id text PRIMARY KEY,
      email text NOT NULL,
      org_name text NOT NULL,
      -- the name as it is compared
      org_key text NOT NULL,
      -- pending, onboarded or rejected: that it is being approved follows from its attempt
      state text NOT NULL DEFAULT 'pending',
      -- the onboarding of its last approval
      attempt_id text,
      project_id text,
      decided_by text,
      decided_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT statement_timestamp()
    )`
  yield* sql`CREATE UNIQUE INDEX signups_queued ON signups (lower(email), org_key) WHERE state = 'pending'`
  yield* sql`CREATE INDEX signups_email ON signups (lower(email), created_at)`
  yield* sql`CREATE INDEX signups_page ON signups (created_at, signup_id)`
  yield* sql`CREATE INDEX signups_state ON signups (state, created_at, signup_id)`
  // Only recent requests: each request deletes older rows.
  yield* sql`
    CREATE TABLE signup_requests (
      source text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT statement_timestamp()
    )`
  yield* sql`CREATE INDEX signup_requests_at ON signup_requests (at)`
  yield* sql`CREATE INDEX signup_requests_source ON signup_requests (source, at)`
  // The owner whose login an onboarding creates, so that another process can remove the login.
  yield* sql`ALTER TABLE onboardings ADD COLUMN owner jsonb`
})
