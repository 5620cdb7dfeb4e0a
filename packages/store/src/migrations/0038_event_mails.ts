import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The recent events that went out by mail, which count against a limit also when their integration is gone. */
export const eventMails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE event_mails (
      project_id text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT statement_timestamp()
    )`
  yield* sql`CREATE INDEX event_mails_project ON event_mails (project_id, at)`
  yield* sql`CREATE INDEX event_mails_at ON event_mails (at)`
})
