import type { PageRequest } from "@portico/contract/Page"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { countsOf } from "./counts.ts"
import { DerivedRow } from "./Credentials.ts"
import { makersColumn } from "./makers.ts"
import { countOf, rowsOf, sqlPage } from "./rows.ts"
import { TenantEntry } from "./Tenants.ts"

/**
 * The filter of a list of machine credentials; all projects when `projectId` is
 * undefined. Running mints are never listed.
 */
export interface Listed {
  readonly projectId: string | undefined
  readonly includeRevoked: boolean
  /** Only credentials with exactly this label; all when undefined. */
  readonly label?: string | undefined
  /** Only credentials for agents. */
  readonly agents?: true
}

/** At most one row more than requested, and the count of the whole list. */
export interface Found<Row> {
  readonly count: number
  readonly rows: ReadonlyArray<Row>
}

/**
 * Lists without an upper bound, oldest first. The cost of a page and of the
 * count does not depend on the list's length.
 */
export class Pages extends Context.Service<
  Pages,
  {
    /** Each with its chain of makers, in the same query. */
    credentials(listed: Listed, page: PageRequest): Effect.Effect<Found<DerivedRow>>
    tenants(page: PageRequest): Effect.Effect<Found<TenantEntry>>
  }
>()("portico/store/Pages") {
  static readonly layer = Layer.effect(
    Pages,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const credentials = rowsOf(DerivedRow)
      const tenants = rowsOf(TenantEntry)
      const counts = credentialCount(sql)
      const tenantCounts = countsOf(sql)
      const page = credentialPage(sql)
      const found = <Row>(count: Effect.Effect<number>, rows: Effect.Effect<ReadonlyArray<Row>>) =>
        Effect.all({ count, rows }, { concurrency: 2 })

      return Pages.of({
        credentials: (listed, request) =>
          found(
            counts(listed),
            credentials.rows(sql`
              SELECT page.*, ${makersColumn(sql, sql`page.made_by`)} FROM (${page(listed, request)}) AS page
              ORDER BY page.created_at, page.credential_id`)
          ),
        tenants: (request) =>
          found(
            tenantCounts({ kind: "tenant" }),
            tenants.rows(sql`SELECT * FROM tenants WHERE ${sqlPage(sql, "project_id", request)}`)
          )
      })
    })
  )
}

/** The count of a list over all pages. The counters do not know labels, so a filter counts rows. */
export const credentialCount = (sql: SqlClient.SqlClient) => {
  const counts = countsOf(sql)
  return (listed: Listed): Effect.Effect<number> => {
    const { agents, includeRevoked, label, projectId } = listed
    const states = includeRevoked ? undefined : (["active", "suspended"] as const)
    if (label === undefined && agents !== true) return counts({ kind: "machine", projectId, states })
    return countOf(sql`SELECT count(*)::int AS count FROM credentials WHERE ${conditions(sql, listed)}`)
  }
}

/**
 * Must contain the predicates of the partial indexes (`credentials_page_of_project`
 * and the like, `agents_page_of_project` for agents) character by character. A
 * filter adds a condition, and replaces none.
 */
const conditions = (sql: SqlClient.SqlClient, { agents, includeRevoked, label, projectId }: Listed) => sql`
  kind <> 'member' AND state <> 'minting'
  AND ${includeRevoked ? sql`true` : sql`state <> 'revoked'`}
  AND ${agents === true ? sql`kind = 'mcp'` : sql`true`}
  AND ${projectId === undefined ? sql`true` : sql`project_id = ${projectId}`}
  AND ${label === undefined ? sql`true` : sql`label = ${label}`}`

/** The rows of a page. */
export const credentialPage = (sql: SqlClient.SqlClient) => (listed: Listed, page: PageRequest) =>
  sql`SELECT * FROM credentials WHERE ${conditions(sql, listed)} AND ${sqlPage(sql, "credential_id", page)}`
