import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The recent invitation mails, which count against limits. */
export const invitationMails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE invitation_mails (
      project_id text NOT NULL,
      -- stands for the address
      member_id text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT statement_timestamp()
    )`
  yield* sql`CREATE INDEX invitation_mails_project ON invitation_mails (project_id, at)`
  yield* sql`CREATE INDEX invitation_mails_at ON invitation_mails (at)`
})
