import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The planner takes events of a topic for rare, and reads them by the index of topics. By its own estimate a log that one
 * topic dominates has some of every topic everywhere: it walked through all others to find the next one of a quiet topic.
 */
export const eventsTopics = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE events ALTER COLUMN topic SET (n_distinct = 1000)`
  // It counts from the next ANALYZE. That reads a sample, however long the log is, and writers go on. An empty log is left
  // alone: it would be taken for one that stays empty.
  if ((yield* sql`SELECT FROM events LIMIT 1`).length > 0) yield* sql`ANALYZE events (topic)`
})
