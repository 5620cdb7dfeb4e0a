import type { PageRequest } from "@portico/contract/Page"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Serialises changes of one project's units and policies, so that each sees the
 * result of the one before. It is not a lock on the tenant's row, because a
 * project of the static tenant map has none.
 */
export const policyLock =
  (sql: SqlClient.SqlClient) =>
  <A, E>(projectId: string, change: Effect.Effect<A, E>): Effect.Effect<A> =>
    Effect.orDie(
      sql.withTransaction(
        Effect.andThen(sql`SELECT pg_advisory_xact_lock(hashtext('portico/policy'), hashtext(${projectId}))`, change)
      )
    )

/** The end of a WHERE clause with ORDER BY and LIMIT: a page, oldest first, and one row more. */
export const sqlPage = (sql: SqlClient.SqlClient, { after, limit }: PageRequest) => sql`
  ${
    after === undefined
      ? sql`true`
      : sql`(created_at, id) > (${DateTime.toDateUtc(DateTime.makeUnsafe(after.at))}, ${after.id})`
  }
  ORDER BY created_at, id LIMIT ${limit + 1}`
