import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The marks of projects that are being deleted or closed, and the progress of purges. */
export const projects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE tenants
      -- why nothing can be changed in it and its machine credentials are held; live when nothing is left here
      ADD COLUMN closing jsonb NOT NULL DEFAULT '[]'`
  yield* sql`CREATE INDEX tenants_page ON tenants (created_at, project_id)`
  yield* sql`
    CREATE TABLE purges (
      project_id text PRIMARY KEY,
      reason text NOT NULL,
      state text NOT NULL,
      -- somebody wants it back; decides between two steps
      cancelled boolean NOT NULL DEFAULT false,
      requested_by text NOT NULL,
      request_id text NOT NULL,
      -- steps with how much of each is done and left
      progress jsonb NOT NULL DEFAULT '[]',
      -- what is billed and about to be removed, told of when it is gone
      ending jsonb NOT NULL DEFAULT '[]',
      -- why it was given up, and why it last stopped
      refusal jsonb,
      failure text,
      -- how often it stopped since something was last removed
      failures integer NOT NULL DEFAULT 0,
      -- the credentials that the way back restored
      restored jsonb NOT NULL DEFAULT '[]',
      started_at timestamptz(3) NOT NULL DEFAULT now(),
      -- who works on it, and until when; without anybody, when it is due
      lease uuid,
      lease_ends timestamptz
    )`
  yield* sql`CREATE INDEX purges_due ON purges (lease_ends) WHERE lease_ends IS NOT NULL`
})
