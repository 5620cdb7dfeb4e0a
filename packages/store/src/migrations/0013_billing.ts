import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The position up to which a topic of the event log was relayed to another system. */
export const billing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE relays (
      topic text PRIMARY KEY,
      -- the sequence of the last event that has arrived there
      position bigint NOT NULL,
      -- who sends; nobody between two rounds, and while the other side rests
      lease uuid,
      lease_ends timestamptz(3) NOT NULL,
      -- attempts in a row that failed
      failures integer NOT NULL
    )`
})
