import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The destinations of tenants' events, and the deliveries to them. */
export const targets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE targets (
      target_id text PRIMARY KEY,
      project_id text NOT NULL,
      kind text NOT NULL,
      name text,
      -- where to; what of it is secret is in the secrets
      settings jsonb NOT NULL,
      -- sealed, the newest first; the others sign until they end
      secrets jsonb NOT NULL,
      -- which events; empty for all
      topics jsonb NOT NULL,
      kinds jsonb NOT NULL,
      -- events up to there are none of its
      from_sequence bigint NOT NULL,
      state text NOT NULL,
      disabled_reason text,
      -- events in a row that did not arrive, and when the first of them was given up
      failures_in_a_row integer NOT NULL DEFAULT 0,
      failing_since timestamptz(3),
      -- nothing is sent before, after an event that was given up
      rests_until timestamptz(3),
      -- when the next attempt is due; null when nothing waits
      due_at timestamptz,
      -- whoever waits longest for a turn comes first
      served_at timestamptz NOT NULL,
      -- who sends, and until when
      lease uuid,
      lease_ends timestamptz,
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`
  yield* sql`CREATE INDEX targets_project ON targets (project_id, created_at, target_id)`
  yield* sql`CREATE INDEX targets_due ON targets (due_at) WHERE state = 'active'`
  yield* sql`
    CREATE TABLE deliveries (
      -- in this order they are sent
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      delivery_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
      target_id text NOT NULL REFERENCES targets ON DELETE CASCADE,
      event_id uuid NOT NULL,
      topic text NOT NULL,
      kind text NOT NULL,
      -- somebody asked for it once more
      again boolean NOT NULL,
      state text NOT NULL DEFAULT 'pending',
      -- what came of each attempt
      attempts jsonb NOT NULL DEFAULT '[]',
      -- why it is given up, where that is not the last attempt's failure
      given_up text,
      created_at timestamptz(3) NOT NULL,
      finished_at timestamptz(3)
    )`
  // The fan-out may pass events twice after it loses its position. This index keeps each delivery unique.
  yield* sql`CREATE UNIQUE INDEX deliveries_once ON deliveries (target_id, event_id) WHERE NOT again`
  yield* sql`CREATE INDEX deliveries_of_target ON deliveries (target_id, number)`
  yield* sql`CREATE INDEX deliveries_waiting ON deliveries (target_id, number) WHERE state = 'pending'`
  yield* sql`CREATE INDEX deliveries_oldest_waiting ON deliveries (created_at) WHERE state = 'pending'`
  yield* sql`CREATE INDEX deliveries_age ON deliveries (created_at)`
})
