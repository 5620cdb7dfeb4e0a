import type { SqlClient } from "effect/sql"

/** The columns of a `TargetEntry`. Sequences are cast to float8, which JavaScript reads as numbers. */
export const targetColumns = (sql: SqlClient.SqlClient) => sql`
  targets.target_id, targets.project_id, targets.kind, targets.name, targets.settings, targets.secrets, targets.topics,
  targets.kinds, targets.from_sequence::float8 AS from_sequence, targets.state, targets.disabled_reason,
  targets.failures_in_a_row, targets.failing_since, targets.rests_until, targets.due_at, targets.served_at,
  targets.lease, targets.lease_ends, targets.created_by, targets.of_agent, targets.created_at, targets.updated_at`
