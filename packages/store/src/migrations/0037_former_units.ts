import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The organisation units that bound a credential's maker when another one took over from it. */
export const formerUnits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE credentials ADD COLUMN former_units jsonb NOT NULL DEFAULT '[]'`
})
