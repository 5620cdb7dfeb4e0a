import { AccountState } from "@portico/contract/Accounts"
import type { PageRequest } from "@portico/contract/Page"
import { Tier } from "@portico/contract/Tiers"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { moment, momentsOf, rowsOf, run } from "./rows.ts"

export const AccountEntry = Schema.Struct({
  number: Schema.Int,
  name: Schema.String,
  state: AccountState,
  created_at: moment,
  /** The id of the closing, a UUID. This and the next five fields are null while the account is open. */
  closure: Schema.NullOr(Schema.String),
  window_days: Schema.NullOr(Schema.Int),
  closed_by: Schema.NullOr(Schema.String),
  closed_at: Schema.NullOr(moment),
  reason: Schema.NullOr(Schema.String),
  closes_at: Schema.NullOr(moment),
  /** The wake that destroys the account. Once it is set, nothing restores the account and no other wake touches it. */
  destroyer: Schema.NullOr(Schema.String),
  finalized_by: Schema.NullOr(Schema.String),
  finalize_reason: Schema.NullOr(Schema.String),
  /**
   * True while a process destroys the account, or after a process died doing
   * so; false while it waits after a refusal.
   */
  trying: Schema.Boolean,
  /** How often a destruction began or was resumed. */
  attempts: Schema.Int,
  /** The upstream's message for what could not be destroyed at the last attempt. */
  refusal: Schema.NullOr(Schema.String),
  refused_at: Schema.NullOr(moment),
  destroyed_at: Schema.NullOr(moment),
  /** The projects that the account had when its destruction began. */
  destroyed_projects: Schema.Array(Schema.String),
  /** Ids of the account's projects, oldest first. */
  projects: Schema.Array(Schema.String)
})
export type AccountEntry = typeof AccountEntry.Type

export const AccountProject = Schema.Struct({
  project_id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  tier: Tier
})
export type AccountProject = typeof AccountProject.Type

export interface Closing {
  readonly closure: string
  readonly by: string
  readonly reason: string | null
  readonly windowDays: number
}

export interface Condemnation {
  /** The wake that destroys the account. */
  readonly wake: string
  readonly by: string
  /** The reason to skip the rest of the window; null to wait for its end. */
  readonly reason: string | null
}

/** The account number in a cursor; 0, which sorts before all accounts, when the cursor holds no number. */
export const numberOf = (id: string): number => (/^\d{1,9}$/.test(id) ? Number(id) : 0)

/**
 * The accounts that own the tenants. The row of an account alone decides
 * whether it is restored or destroyed. Every change is one statement with the
 * old state in its WHERE, so of two competing changes one fails. A row is never
 * deleted, and a number is never reused.
 */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** Inserts an account that owns the tenant, in the transaction that creates the tenant. */
    open(tenant: { readonly projectId: string; readonly name: string }): Effect.Effect<AccountEntry>
    find(number: number): Effect.Effect<AccountEntry | undefined>
    findByProject(projectId: string): Effect.Effect<AccountEntry | undefined>
    /** Like {@link find}, but locks the row until the transaction ends. */
    lock(number: number): Effect.Effect<AccountEntry | undefined>
    projects(number: number): Effect.Effect<ReadonlyArray<AccountProject>>
    /** The number of members of its projects, without pending invitations. */
    members(number: number): Effect.Effect<number>
    /** Oldest first, with one row more than the page holds when there is one. `count` covers all pages. */
    page(
      state: AccountState | undefined,
      page: PageRequest
    ): Effect.Effect<{ readonly rows: ReadonlyArray<AccountEntry>; readonly count: number }>
    /** Open to closing; undefined when it is not open. */
    close(number: number, closing: Closing): Effect.Effect<AccountEntry | undefined>
    /** Closing to open, inside the window and before its destruction has begun; undefined otherwise. */
    reopen(number: number): Effect.Effect<AccountEntry | undefined>
    /**
     * Assigns the destruction to this wake: when the window is over or a reason
     * is given, and no other wake is working on it or about to.
     */
    condemn(number: number, condemnation: Condemnation): Effect.Effect<AccountEntry | undefined>
    /**
     * The wake begins or resumes the destruction: when the window of this
     * closing is over, or the destruction is assigned to the wake.
     */
    begin(number: number, closure: string, wake: string): Effect.Effect<AccountEntry | undefined>
    /** Records that the wake could not destroy everything. */
    refuse(number: number, wake: string, message: string): Effect.Effect<void>
    /** Closing to destroyed, when no project is left; undefined otherwise. */
    destroy(number: number, wake: string): Effect.Effect<AccountEntry | undefined>
    /**
     * Open or closing to destroyed, after the deletion of this project, its
     * last one. Undefined while the account has other projects, and while a
     * wake destroys the account.
     */
    vacate(number: number, projectId: string): Effect.Effect<AccountEntry | undefined>
  }
>()("portico/store/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { after, now } = momentsOf(sql)
      const { byId, first, one, rows } = rowsOf(AccountEntry)
      const ofProjects = rowsOf(AccountProject).rows
      const own = sql`ARRAY(SELECT project_id FROM tenants WHERE account_n = accounts.number ORDER BY created_at, project_id)`
      const row = sql`accounts.*, ${own} AS projects`
      const counted = (query: Statement.Statement<{ readonly count: number }>) =>
        Effect.map(Effect.orDie(query), (_) => _[0]?.count ?? 0)

      const open = Effect.fnUntraced(function* (tenant: { readonly projectId: string; readonly name: string }) {
        const { number } = yield* one(sql`INSERT INTO accounts (name) VALUES (${tenant.name}) RETURNING ${row}`)
        yield* sql`UPDATE tenants SET account_n = ${number} WHERE project_id = ${tenant.projectId}`
        return yield* one(sql`SELECT ${row} FROM accounts WHERE number = ${number}`)
      })

      return Accounts.of({
        open: (tenant) => Effect.orDie(sql.withTransaction(open(tenant))),
        find: (number) => first(sql`SELECT ${row} FROM accounts WHERE number = ${number}`),
        findByProject: (projectId) =>
          byId(
            projectId,
            sql`SELECT ${row} FROM accounts WHERE number = (SELECT account_n FROM tenants WHERE project_id = ${projectId})`
          ),
        lock: (number) => first(sql`SELECT ${row} FROM accounts WHERE number = ${number} FOR NO KEY UPDATE`),
        projects: (number) =>
          ofProjects(sql`
            SELECT project_id, name, slug, tier FROM tenants WHERE account_n = ${number} ORDER BY created_at, project_id`),
        members: (number) =>
          counted(sql`
            SELECT COALESCE(sum(count), 0)::int AS count FROM tenants JOIN record_counts USING (project_id)
            WHERE account_n = ${number} AND kind = 'member' AND state IN ('active', 'suspended')`),
        page: Effect.fnUntraced(function* (state, { after, limit }) {
          const wanted = state === undefined ? sql`true` : sql`state = ${state}`
          const behind =
            after === undefined
              ? sql`true`
              : sql`(created_at, number) > (${DateTime.toDateUtc(DateTime.makeUnsafe(after.at))}, ${numberOf(after.id)})`
          return {
            count: yield* counted(sql`SELECT count(*)::int AS count FROM accounts WHERE ${wanted}`),
            rows: yield* rows(sql`
              SELECT ${row} FROM accounts WHERE ${wanted} AND ${behind} ORDER BY created_at, number LIMIT ${limit + 1}`)
          }
        }),
        // Columns round to the millisecond: without date_trunc a window of 0 days could end after the next statement.
        close: (number, { by, closure, reason, windowDays }) =>
          first(sql`
            UPDATE accounts SET state = 'closing', closure = ${closure}::uuid, window_days = ${windowDays},
              closed_by = ${by}, reason = ${reason}, closed_at = date_trunc('milliseconds', ${now}),
              closes_at = date_trunc('milliseconds', ${after(Duration.days(windowDays))})
            WHERE number = ${number} AND state = 'open' RETURNING ${row}`),
        reopen: (number) =>
          first(sql`
            UPDATE accounts SET state = 'open', closure = NULL, window_days = NULL, closed_by = NULL, closed_at = NULL,
              reason = NULL, closes_at = NULL
            WHERE number = ${number} AND state = 'closing' AND destroyer IS NULL AND closes_at > ${now} RETURNING ${row}`),
        condemn: (number, { by, reason, wake }) =>
          first(sql`
            UPDATE accounts SET destroyer = ${wake}, finalized_by = ${by}, finalize_reason = COALESCE(${reason}, finalize_reason)
            WHERE number = ${number} AND state = 'closing'
              AND ((destroyer IS NULL AND (closes_at <= ${now} OR ${reason}::text IS NOT NULL)) OR (refusal IS NOT NULL AND NOT trying))
            RETURNING ${row}`),
        begin: (number, closure, wake) =>
          first(sql`
            UPDATE accounts SET destroyer = ${wake}, trying = true, attempts = attempts + 1,
              destroyed_projects = CASE WHEN attempts = 0 THEN to_jsonb(${own}) ELSE destroyed_projects END
            WHERE number = ${number} AND state = 'closing' AND closure = ${closure}::uuid
              AND ((destroyer IS NULL AND closes_at <= ${now}) OR destroyer = ${wake}) RETURNING ${row}`),
        refuse: (number, wake, message) =>
          run(sql`
              UPDATE accounts SET trying = false, refusal = ${message.replaceAll("\0", "")}, refused_at = ${now}
              WHERE number = ${number} AND destroyer = ${wake} AND state = 'closing'`),
        destroy: (number, wake) =>
          first(sql`
            UPDATE accounts SET state = 'destroyed', destroyed_at = ${now}, trying = false, refusal = NULL, refused_at = NULL
            WHERE number = ${number} AND destroyer = ${wake} AND state = 'closing'
              AND NOT EXISTS (SELECT FROM tenants WHERE account_n = accounts.number) RETURNING ${row}`),
        vacate: (number, projectId) =>
          first(sql`
            UPDATE accounts SET state = 'destroyed', destroyed_at = ${now}, destroyed_projects = to_jsonb(ARRAY[${projectId}])
            WHERE number = ${number} AND state <> 'destroyed' AND destroyer IS NULL
              AND NOT EXISTS (SELECT FROM tenants WHERE account_n = accounts.number) RETURNING ${row}`)
      })
    })
  )
}
