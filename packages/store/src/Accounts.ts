import { AccountState } from "@portico/contract/Accounts"
import type { PageRequest } from "@portico/contract/Page"
import { Tier } from "@portico/contract/Tiers"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { growingPause, leasedOf } from "./leased.ts"
import { countOf, moment, momentsOf, rowsOf, run, some, sqlPage } from "./rows.ts"

export const AccountEntry = Schema.Struct({
  number: Schema.Int,
  name: Schema.String,
  state: AccountState,
  created_at: moment,
  /** This and the next four fields are null while the account is open. */
  window_days: Schema.NullOr(Schema.Int),
  closed_by: Schema.NullOr(Schema.String),
  closed_at: Schema.NullOr(moment),
  reason: Schema.NullOr(Schema.String),
  closes_at: Schema.NullOr(moment),
  /**
   * What ordered the destruction: the user who finalized the account, or `window`, its end. Once it is set, nothing
   * restores the account.
   */
  destroyer: Schema.NullOr(Schema.String),
  finalized_by: Schema.NullOr(Schema.String),
  finalize_reason: Schema.NullOr(Schema.String),
  /** When its destruction is due. Null for the end of the window, or for at once when the destruction is ordered. */
  due_at: Schema.NullOr(moment),
  /** The lease of the process that destroys the account; it stays after that process died. Null while it waits. */
  lease: Schema.NullOr(Schema.String),
  lease_ends: Schema.NullOr(moment),
  /** How often a destruction began or was resumed. */
  attempts: Schema.Int,
  /** How often it was refused, since it was last finalized. */
  failures: Schema.Int,
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
  readonly by: string
  readonly reason: string | null
  readonly windowDays: number
}

export interface Condemnation {
  readonly by: string
  /** The reason to skip the rest of the window; null to wait for its end. */
  readonly reason: string | null
}

/** Renewed while a process destroys the account. */
export const accountLease = Duration.minutes(3)

/** The pause after so many refusals in a row. */
export const pauseAfter = growingPause({ first: Duration.minutes(1), longest: Duration.hours(1) })

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
     * Orders the destruction, which is due at once: when the window is over or
     * a reason is given, or when it waits after a refusal.
     */
    condemn(number: number, condemnation: Condemnation): Effect.Effect<AccountEntry | undefined>
    /**
     * Claims an account that is due, and begins or resumes its destruction: at
     * the end of its window, or when it was condemned.
     */
    readonly claim: Effect.Effect<AccountEntry | undefined>
    /** Renews the lease; false when another process has it by now. */
    renew(entry: AccountEntry): Effect.Effect<boolean>
    /** Releases the lease. The account is due at once. */
    release(entry: AccountEntry): Effect.Effect<void>
    /** Releases the lease of a destruction that was refused. The account is due after a growing pause. */
    refuse(entry: AccountEntry, message: string): Effect.Effect<void>
    /** Closing to destroyed, when no project is left; undefined otherwise. */
    destroy(entry: AccountEntry): Effect.Effect<AccountEntry | undefined>
    /**
     * Open or closing to destroyed, after the deletion of this project, its
     * last one. Undefined while the account has other projects, and once its
     * destruction is ordered.
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
      const leased = leasedOf(sql, {
        table: "accounts",
        key: "number",
        due: "due_at",
        // A replica of an earlier release orders a destruction without a time, and may stop before it is done.
        otherwise: sql`CASE WHEN destroyer IS NULL THEN closes_at ELSE '-infinity' END`,
        time: accountLease
      })
      const { claim, own: held, released, renewed } = leased

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
          countOf(sql`
            SELECT COALESCE(sum(count), 0)::int AS count FROM tenants JOIN record_counts USING (project_id)
            WHERE account_n = ${number} AND kind = 'member' AND state IN ('active', 'suspended')`),
        page: (state, { after, limit }) => {
          const wanted = state === undefined ? sql`true` : sql`state = ${state}`
          const page = sqlPage(sql, "number", { limit, after: after && { at: after.at, id: numberOf(after.id) } })
          return Effect.all({
            count: countOf(sql`SELECT count(*)::int AS count FROM accounts WHERE ${wanted}`),
            rows: rows(sql`SELECT ${row} FROM accounts WHERE ${wanted} AND ${page}`)
          })
        },
        close: (number, { by, reason, windowDays }) =>
          first(sql`
            UPDATE accounts SET state = 'closing', window_days = ${windowDays}, closed_by = ${by}, reason = ${reason},
              closed_at = ${now}, closes_at = ${after(Duration.days(windowDays))}
            WHERE number = ${number} AND state = 'open' RETURNING ${row}`),
        reopen: (number) =>
          first(sql`
            UPDATE accounts SET state = 'open', window_days = NULL, closed_by = NULL, closed_at = NULL, reason = NULL,
              closes_at = NULL
            WHERE number = ${number} AND state = 'closing' AND destroyer IS NULL AND closes_at > ${now} RETURNING ${row}`),
        condemn: (number, { by, reason }) =>
          first(sql`
            UPDATE accounts SET destroyer = ${by}, finalized_by = ${by}, failures = 0,
              finalize_reason = COALESCE(${reason}, finalize_reason), ${released(Duration.zero)}
            WHERE number = ${number} AND state = 'closing' AND lease IS NULL
              AND ((destroyer IS NULL AND (closes_at <= ${now} OR ${reason}::text IS NOT NULL))
                OR (refusal IS NOT NULL AND due_at > ${now}))
            RETURNING ${row}`),
        claim: first(sql`
          ${claim({
            if: sql`state = 'closing'`,
            limit: 1,
            set: [
              sql`destroyer = COALESCE(destroyer, 'window')`,
              sql`attempts = attempts + 1`,
              sql`destroyed_projects = CASE WHEN attempts = 0 THEN to_jsonb(${own}) ELSE destroyed_projects END`
            ]
          })} RETURNING ${row}`),
        renew: (entry) => some(sql`UPDATE accounts SET ${renewed} WHERE ${held(entry)} RETURNING number`),
        release: (entry) => run(sql`UPDATE accounts SET ${released(Duration.zero)} WHERE ${held(entry)}`),
        refuse: (entry, message) =>
          run(sql`
            UPDATE accounts SET refusal = ${message.replaceAll("\0", "")}, refused_at = ${now}, failures = failures + 1,
              ${released(pauseAfter(entry.failures + 1))}
            WHERE ${held(entry)}`),
        destroy: (entry) =>
          first(sql`
            UPDATE accounts SET state = 'destroyed', destroyed_at = ${now}, refusal = NULL, refused_at = NULL,
              ${released(undefined)}
            WHERE ${held(entry)} AND state = 'closing'
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
