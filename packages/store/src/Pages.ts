import type { PageRequest } from "@portico/contract/Page"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { countsOf } from "./counts.ts"
import { DerivedRow } from "./Credentials.ts"
import { makersColumn } from "./makers.ts"
import { countOf, moment, momentsOf, rowsOf, sqlPage } from "./rows.ts"
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
  /** Only credentials of this kind. */
  readonly kind?: MachineKind | undefined
  /** Only what this maker made itself, by the maker's `public_id`. */
  readonly madeBy?: string | undefined
  /**
   * Only those that are older than this many days and were not used within them, the longest unused first. Revoked ones
   * are never among them.
   */
  readonly unusedDays?: number | undefined
}

export type MachineKind = "api-key" | "mcp"

const machineKinds: ReadonlyArray<MachineKind> = ["api-key", "mcp"]

/** A machine credential in a list. */
export const ListedRow = Schema.Struct({
  ...DerivedRow.fields,
  /** The day, UTC, of the last use, or of the creation of one that was never used. It orders the unused ones. */
  idle_since: moment,
  /** The tenant of its project; null when the project is no tenant any more. */
  tenant_slug: Schema.NullOr(Schema.String),
  tenant_name: Schema.NullOr(Schema.String)
})
export type ListedRow = typeof ListedRow.Type

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
    /** Each with its chain of makers and its tenant, in the same query. */
    credentials(listed: Listed, page: PageRequest): Effect.Effect<Found<ListedRow>>
    tenants(page: PageRequest): Effect.Effect<Found<TenantEntry>>
  }
>()("portico/store/Pages") {
  static readonly layer = Layer.effect(
    Pages,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const credentials = rowsOf(ListedRow)
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
              SELECT page.*, tenants.slug AS tenant_slug, tenants.name AS tenant_name,
                ${makersColumn(sql, sql`page.made_by`)}
              FROM (${page(listed, request)}) AS page LEFT JOIN tenants ON tenants.project_id = page.project_id
              ORDER BY page.${sql(timeOf(listed))}, page.credential_id`)
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

/** The column by which a list is ordered. */
const timeOf = ({ unusedDays }: Listed) => (unusedDays === undefined ? "created_at" : "idle_since")

/** The count of a list over all pages. The counters know projects, kinds and states; any other filter counts rows. */
export const credentialCount = (sql: SqlClient.SqlClient) => {
  const counts = countsOf(sql)
  return (listed: Listed): Effect.Effect<number> => {
    const { includeRevoked, kind = "machine", label, madeBy, projectId, unusedDays } = listed
    const states = includeRevoked ? undefined : (["active", "suspended"] as const)
    if (label === undefined && madeBy === undefined && unusedDays === undefined) {
      return counts({ kind, projectId, states })
    }
    const ofKinds = unusedDays === undefined ? sql`true` : sql`kind = ANY(${kindsOf(listed)}::text[])`
    return countOf(sql`SELECT count(*)::int AS count FROM credentials WHERE ${conditions(sql, listed)} AND ${ofKinds}`)
  }
}

const kindsOf = ({ kind }: Listed) => (kind === undefined ? machineKinds : [kind])

/**
 * Must contain the predicates of the partial indexes (`credentials_page_of_project`
 * and the like, `agents_page_of_project` for agents, `keys_page_of_all` for
 * other keys, `credentials_idle_of_all`) character by character. A filter adds a
 * condition, and replaces none.
 */
const conditions = (sql: SqlClient.SqlClient, { includeRevoked, kind, label, madeBy, projectId, unusedDays }: Listed) =>
  sql`
  kind <> 'member' AND state <> 'minting'
  AND ${includeRevoked && unusedDays === undefined ? sql`true` : sql`state <> 'revoked'`}
  AND ${kind === undefined ? sql`true` : kind === "mcp" ? sql`kind = 'mcp'` : sql`kind = 'api-key'`}
  AND ${projectId === undefined ? sql`true` : sql`project_id = ${projectId}`}
  AND ${label === undefined ? sql`true` : sql`label = ${label}`}
  AND ${madeBy === undefined ? sql`true` : sql`made_by = ANY(ARRAY(${recordsOf(sql, madeBy)}))`}
  AND ${unusedDays === undefined ? sql`true` : isUnused(sql, unusedDays)}`

/** The ids of the records that the API shows as this maker. */
const recordsOf = (sql: SqlClient.SqlClient, publicId: string) => sql`
  SELECT credential_id FROM credentials WHERE credential_id = ${publicId} AND kind <> 'member'
  UNION ALL SELECT credential_id FROM credentials WHERE user_id = ${publicId} AND kind = 'member'
  UNION ALL SELECT token_hash FROM workload_tokens WHERE issuer_id = ${publicId}`

/** The day is in the index, and decides on all but the credentials of one day; the exact time decides on those. */
const isUnused = (sql: SqlClient.SqlClient, days: number) => {
  const since = momentsOf(sql).ago(Duration.days(days))
  return sql`idle_since < ${since} AND COALESCE(last_used_at, created_at) < ${since}`
}

/** The rows of a page. */
export const credentialPage = (sql: SqlClient.SqlClient) => (listed: Listed, page: PageRequest) => {
  const rows = sql`${conditions(sql, listed)}`
  if (listed.unusedDays === undefined) {
    return sql`SELECT * FROM credentials WHERE ${rows} AND ${sqlPage(sql, "credential_id", page)}`
  }
  // One index scan per kind: the other kind may have any number of rows in between.
  return sql`
    SELECT idle.* FROM unnest(${kindsOf(listed)}::text[]) AS asked (kind), LATERAL (
      SELECT * FROM credentials WHERE credentials.kind = asked.kind AND ${rows}
        AND ${sqlPage(sql, "credential_id", page, "idle_since")}
    ) AS idle
    ORDER BY idle_since, credential_id LIMIT ${page.limit + 1}`
}
