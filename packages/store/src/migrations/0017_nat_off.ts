import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What a refused or cancelled purge must restore beyond the resources that every tenant has. */
export const natOff = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE purges
      -- whether the tenant had no NAT gateway when its purge began; unknown until that was looked at
      ADD COLUMN nat_off boolean`
})
