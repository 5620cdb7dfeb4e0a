import type { PgClient } from "@effect/sql-pg"
import type { Statement } from "effect/sql"
import { countOf, momentsOf } from "./rows.ts"
import { givenUpDisabled } from "./targetRows.ts"

/** Gives up pending deliveries of disabled targets. @param chosen a query of their numbers, at most {@link atOnce} */
export const givingUp = (sql: PgClient.PgClient) => (chosen: Statement.Fragment) =>
  countOf(sql`
    WITH given_up AS (
      UPDATE deliveries SET state = 'failed', given_up = ${givenUpDisabled}, finished_at = ${momentsOf(sql).now}
      WHERE number IN (${chosen}) AND state = 'pending' RETURNING 1
    ) SELECT count(*)::int AS count FROM given_up`)
