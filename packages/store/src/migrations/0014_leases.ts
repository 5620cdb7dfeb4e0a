import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Named leases for mutual exclusion across all replicas. */
export const leases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE leases (
      name text PRIMARY KEY,
      lease uuid NOT NULL,
      lease_ends timestamptz(3) NOT NULL
    )`
})
