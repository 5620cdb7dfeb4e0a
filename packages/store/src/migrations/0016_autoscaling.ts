import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Autoscaling groups. Nova stores the servers; this table stores which server belongs to which group. */
export const autoscaling = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE autoscaling_groups (
      group_id text PRIMARY KEY,
      project_id text NOT NULL,
      name text NOT NULL,
      -- what the tenant wants; every change of it counts the revision up
      min integer NOT NULL,
      max integer NOT NULL,
      desired integer NOT NULL,
      template jsonb NOT NULL,
      cooldown_seconds integer NOT NULL,
      cooldown_until timestamptz(3),
      policies jsonb NOT NULL,
      -- the last state heard of each alarm, by its id
      alarms jsonb NOT NULL DEFAULT '{}',
      deleting boolean NOT NULL DEFAULT false,
      revision integer NOT NULL DEFAULT 0,
      -- what is there; changed by whoever holds the lease
      state text NOT NULL DEFAULT 'scaling',
      reason text,
      members jsonb NOT NULL DEFAULT '[]',
      -- servers that ended in ERROR, and looks or writes that failed, in a row
      errors integer NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      -- how often it has come up against a quota
      limits integer NOT NULL DEFAULT 0,
      observed_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      -- when it is looked at next, by whom, and until when
      due_at timestamptz(3) NOT NULL,
      lease uuid,
      lease_ends timestamptz,
      CHECK (min <= desired AND desired <= max)
    )`
  yield* sql`CREATE UNIQUE INDEX autoscaling_groups_name ON autoscaling_groups (project_id, name)`
  yield* sql`CREATE INDEX autoscaling_groups_due ON autoscaling_groups (due_at)`
})
