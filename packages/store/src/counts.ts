import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { countOf } from "./rows.ts"

/** The filter of the count: machine credentials, those of one kind, memberships, or tenants. */
export interface Counted {
  readonly kind: "machine" | "api-key" | "mcp" | "member" | "tenant"
  /** All projects when undefined. */
  readonly projectId?: string | undefined
  /** All states when undefined. Running mints are never counted. */
  readonly states?: ReadonlyArray<"active" | "suspended" | "revoked"> | undefined
}

/**
 * Counts rows without reading them: triggers keep the counts per project, kind
 * and state (`record_counts`), so that ten thousand rows are counted as fast as
 * ten. The count includes the changes of the current transaction.
 */
export const countsOf =
  (sql: SqlClient.SqlClient) =>
  ({ kind, projectId, states }: Counted): Effect.Effect<number> =>
    countOf(sql`
      SELECT COALESCE(sum(count), 0)::int AS count FROM record_counts
      WHERE ${projectId === undefined ? sql`true` : sql`project_id = ${projectId}`}
        AND ${kind === "machine" ? sql`kind NOT IN ('member', 'tenant')` : sql`kind = ${kind}`}
        AND ${states === undefined ? sql`true` : sql.in("state", states)}`)
