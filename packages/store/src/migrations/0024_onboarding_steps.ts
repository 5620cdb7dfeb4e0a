import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The completed steps of an onboarding. */
export const onboardingSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE onboardings ADD COLUMN done jsonb NOT NULL DEFAULT '[]'`
})
