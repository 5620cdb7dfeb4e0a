import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Calls with an idempotency key, and their responses. */
export const idempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE idempotency_keys (
      -- who calls, what, and under which key; and what was sent: hashes with a key, which nobody can guess a body from
      entry text PRIMARY KEY,
      fingerprint text NOT NULL,
      -- what the caller was when the call was carried out
      tier smallint NOT NULL,
      role text,
      -- who carries it out, and until when without a sign of life; null once it is answered
      lease uuid,
      lease_ends timestamptz(3),
      -- the answer, without its secrets; null while there is none
      status smallint,
      headers jsonb,
      body text,
      redacted jsonb,
      expires_at timestamptz(3) NOT NULL
    )`
  yield* sql`CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)`
})
