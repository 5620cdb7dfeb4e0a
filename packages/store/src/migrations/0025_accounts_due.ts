import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** When the destruction of an account is due, and the lease of the process that carries it out. */
export const accountsDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE accounts
      -- null for the end of the window, or for at once when the destruction is ordered
      ADD COLUMN due_at timestamptz(3),
      ADD COLUMN lease uuid,
      ADD COLUMN lease_ends timestamptz(3),
      ADD COLUMN failures integer NOT NULL DEFAULT 0`
  yield* sql`
    CREATE INDEX accounts_due
      ON accounts (COALESCE(due_at, CASE WHEN destroyer IS NULL THEN closes_at ELSE '-infinity' END))
      WHERE state = 'closing'`

  // Earlier releases kept in a queue what was due: `portico_wakes`, and the columns closure and trying. Their replicas
  // may still run, so these stay. A destruction under way gets the time that such a replica's lock had.
  yield* sql`UPDATE accounts SET due_at = now() + interval '3 minutes' WHERE state = 'closing' AND trying`
})
