import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Which targets end with the agents of their tenant. */
export const targetsOfAgents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Whether an agent last decided where the target sends, or what; null where that was before this column.
  yield* sql`ALTER TABLE targets ADD COLUMN of_agent boolean`
})
