import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const onboardings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE onboardings (
      attempt_id text PRIMARY KEY,
      name text NOT NULL,
      slug text NOT NULL,
      tier text NOT NULL,
      steps jsonb NOT NULL,
      -- the attempt's project, once a rollback has found it
      project_id text,
      state text NOT NULL,
      failure text,
      -- a call was left without an answer and may yet take effect
      unsettled boolean NOT NULL DEFAULT false,
      left_behind jsonb NOT NULL DEFAULT '[]',
      withdrawals integer NOT NULL DEFAULT 0,
      started_at timestamptz NOT NULL DEFAULT now(),
      -- who works on it; nobody while it is stuck or resting
      lease uuid,
      lease_ends timestamptz NOT NULL
    )`
  // A resting attempt has nothing left, so its name is free.
  yield* sql`CREATE UNIQUE INDEX onboardings_slug ON onboardings (slug) WHERE state <> 'resting'`
  yield* sql`CREATE INDEX onboardings_lease ON onboardings (lease_ends)`
})
