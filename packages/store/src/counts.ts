import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Which rows are counted: machine credentials, memberships, or tenants. */
export interface Counted {
  readonly kind: "machine" | "member" | "tenant"
  /** Of every project without one. */
  readonly projectId?: string | undefined
  /** Of every state without them. A mint that still runs is never counted. */
  readonly states?: ReadonlyArray<"active" | "suspended" | "revoked"> | undefined
}

/**
 * How many rows there are, without looking at them: triggers keep the numbers
 * of a project by kind and state (`record_counts`), so that ten thousand rows
 * are counted as fast as ten. Everything that a transaction has changed so far
 * is in it.
 */
export const countsOf =
  (sql: SqlClient.SqlClient) =>
  ({ kind, projectId, states }: Counted): Effect.Effect<number> =>
    Effect.map(
      Effect.orDie(sql<{ count: number }>`
        SELECT COALESCE(sum(count), 0)::int AS count FROM record_counts
        WHERE ${projectId === undefined ? sql`true` : sql`project_id = ${projectId}`}
          AND ${kind === "machine" ? sql`kind NOT IN ('member', 'tenant')` : sql`kind = ${kind}`}
          AND ${states === undefined ? sql`true` : sql.in("state", states)}`),
      (_) => _[0]?.count ?? 0
    )
