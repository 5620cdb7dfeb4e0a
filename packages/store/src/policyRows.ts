import type { PageRequest } from "@portico/contract/Page"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * What changes the units or policies of one project happens one after the
 * other, so that each sees what the one before it left. Not a lock on the
 * tenant's row: a project of the static tenant map has none.
 */
export const policyLock =
  (sql: SqlClient.SqlClient) =>
  <A, E>(projectId: string, change: Effect.Effect<A, E>): Effect.Effect<A> =>
    Effect.orDie(
      sql.withTransaction(
        Effect.andThen(sql`SELECT pg_advisory_xact_lock(hashtext('portico/policy'), hashtext(${projectId}))`, change)
      )
    )

/** The end of a WHERE, and what follows it: a page in the order of age, and one row more. */
export const sqlPage = (sql: SqlClient.SqlClient, { after, limit }: PageRequest) => sql`
  ${
    after === undefined
      ? sql`true`
      : sql`(created_at, id) > (${DateTime.toDateUtc(DateTime.makeUnsafe(after.at))}, ${after.id})`
  }
  ORDER BY created_at, id LIMIT ${limit + 1}`
