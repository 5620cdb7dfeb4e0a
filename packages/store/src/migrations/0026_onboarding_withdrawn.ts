import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The steps whose undo has ended in the current rollback of an onboarding. */
export const onboardingWithdrawn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE onboardings ADD COLUMN withdrawn jsonb NOT NULL DEFAULT '[]'`
})
