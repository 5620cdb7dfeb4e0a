import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const credentials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE credentials (
      credential_id text PRIMARY KEY,
      project_id text NOT NULL,
      user_id text NOT NULL UNIQUE,
      kind text NOT NULL,
      tier smallint NOT NULL,
      label text NOT NULL,
      state text NOT NULL,
      client_id text NOT NULL,
      -- SHA-256 of the personal access token, so that a revoked one is known by itself
      pat_hash text UNIQUE,
      created_by text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      -- until when a mint may take; afterwards it is swept
      mint_ends timestamptz
    )`
  yield* sql`CREATE INDEX credentials_of_project ON credentials (project_id, created_at)`
  yield* sql`CREATE INDEX credentials_minting ON credentials (mint_ends) WHERE state = 'minting'`
})
