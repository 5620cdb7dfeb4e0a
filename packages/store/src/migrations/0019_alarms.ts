import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The alarms of tenants and their findings. */
export const alarms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE alarms (
      alarm_id text PRIMARY KEY,
      project_id text NOT NULL,
      -- what the tenant wants; every change of it counts the revision up
      name text NOT NULL,
      description text,
      severity text NOT NULL,
      enabled boolean NOT NULL,
      rule jsonb NOT NULL,
      revision integer NOT NULL DEFAULT 0,
      -- what was found; changed by whoever holds the lease
      state text NOT NULL,
      reason text NOT NULL,
      -- how often the state has changed
      transitions integer NOT NULL DEFAULT 0,
      last_transition_at timestamptz(3),
      -- the last transition is not yet told to the autoscaling groups
      untold boolean NOT NULL DEFAULT false,
      -- since when nothing can be said; null while something can
      unknown_since timestamptz(3),
      evaluated_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      -- when it is looked at next, by whom, and until when
      due_at timestamptz(3) NOT NULL,
      lease uuid,
      lease_ends timestamptz
    )`
  yield* sql`CREATE INDEX alarms_project ON alarms (project_id, created_at, alarm_id)`
  yield* sql`CREATE INDEX alarms_due ON alarms (due_at) WHERE enabled`
})
