import type { PageRequest } from "@portico/contract/Page"
import { SignupState } from "@portico/contract/Signups"
import { Context, DateTime, Duration, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { Found } from "./Pages.ts"
import { advisoryLock, countOf, moment, momentsOf, rowsOf, some, sqlPage } from "./rows.ts"
import { inTurn } from "./client/inTurn.ts"

export const SignupEntry = Schema.Struct({
  signup_id: Schema.String,
  email: Schema.String,
  org_name: Schema.String,
  /** The normalised organisation name, for comparison. */
  org_key: Schema.String,
  /** `approving` is never stored: it is a pending signup whose attempt has an entry in the journal. */
  state: SignupState,
  attempt_id: Schema.NullOr(Schema.String),
  project_id: Schema.NullOr(Schema.String),
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(moment),
  created_at: moment
})
export type SignupEntry = typeof SignupEntry.Type

/** A signup request, whatever its outcome. */
export interface SignupRequestRow {
  readonly source: string
  readonly at: DateTime.Utc
}

export type NewSignup = Pick<SignupEntry, "signup_id" | "email" | "org_name" | "org_key">

/** The rate limits of signups. */
export interface SignupLimits {
  /** The window in which requests count. */
  readonly window: Duration.Duration
  /** Requests from all sources together. */
  readonly total: number
  readonly perSource: number
  /** Rows per e-mail address and day. */
  readonly perAddress: number
}

export const day = Duration.days(1)

/**
 * The queue of signups. The state `approving` is not stored in the row but
 * follows from the journal: while the attempt's entry exists and is not
 * resting, no other caller can decide. So a signup can never get stuck in that
 * state.
 */
export class Signups extends Context.Service<
  Signups,
  {
    /**
     * Queues the signup, unless its address has already queued that
     * organisation, became its owner, or has queued too many. The caller does
     * not learn which, and the work is the same. False when the limit of the
     * source or the total limit is reached. Serialised across all replicas.
     */
    request(signup: NewSignup, source: string, limits: SignupLimits): Effect.Effect<boolean>
    find(signupId: string): Effect.Effect<SignupEntry | undefined>
    /** At most one row more than requested, oldest first, and the count of all signups in that state. */
    page(request: PageRequest & { readonly state: SignupState | undefined }): Effect.Effect<Found<SignupEntry>>
    /**
     * Assigns a pending signup to an attempt. False when another caller decided
     * since it was read. Belongs in the transaction that opens the journal
     * entry.
     */
    claim(signup: SignupEntry, attemptId: string): Effect.Effect<boolean>
    /**
     * Marks the signup as onboarded once the attempt's tenant is live. Belongs
     * in the transaction that settles the journal entry.
     */
    settle(attemptId: string, options: { readonly projectId: string; readonly by: string }): Effect.Effect<SignupEntry>
    /** Undefined when another caller decided since it was read. */
    reject(signup: SignupEntry, by: string): Effect.Effect<SignupEntry | undefined>
  }
>()("portico/store/Signups") {
  static readonly layer = Layer.effect(
    Signups,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { byId, first, one, rows } = rowsOf(SignupEntry)
      const { ago, now } = momentsOf(sql)
      // Only one request of this process waits for the lock, so that waiting requests do not occupy database
      // connections.
      const queue = yield* Semaphore.make(1)

      const held = sql`EXISTS (
        SELECT FROM onboardings WHERE onboardings.attempt_id = signups.attempt_id AND onboardings.state <> 'resting')`
      const columns = sql`
        signup_id, email, org_name, org_key, attempt_id, project_id, decided_by, decided_at, created_at,
        CASE WHEN state = 'pending' AND ${held} THEN 'approving' ELSE state END AS state`
      const inState = (state: SignupState | undefined) => {
        if (state === undefined) return sql`true`
        if (state === "pending") return sql`state = 'pending' AND NOT ${held}`
        return state === "approving" ? sql`state = 'pending' AND ${held}` : sql`state = ${state}`
      }
      /** Matches the row unless another caller has decided since it was read. */
      const unchanged = ({ attempt_id, signup_id }: SignupEntry) =>
        sql`signup_id = ${signup_id} AND state = 'pending' AND attempt_id IS NOT DISTINCT FROM ${attempt_id}`

      const admit = (_: NewSignup, source: string, { perAddress, perSource, total, window }: SignupLimits) => sql<{
        admitted: boolean
      }>`
        WITH admitted AS (
          INSERT INTO signup_requests (source)
          SELECT ${source}
          WHERE (SELECT count(*) FROM signup_requests) < ${total}
            AND (SELECT count(*) FROM signup_requests WHERE source = ${source} AND at > ${ago(window)}) < ${perSource}
          RETURNING 1
        ), queued AS (
          INSERT INTO signups (signup_id, email, org_name, org_key)
          SELECT ${_.signup_id}, ${_.email}, ${_.org_name}, ${_.org_key} FROM admitted
          WHERE NOT EXISTS (
              SELECT FROM signups known
              WHERE lower(known.email) = lower(${_.email}) AND known.org_key = ${_.org_key}
                AND (known.state = 'pending' OR (known.state = 'onboarded' AND EXISTS (
                  SELECT FROM tenants WHERE tenants.project_id = known.project_id))))
            AND (SELECT count(*) FROM signups
              WHERE lower(email) = lower(${_.email}) AND created_at > ${ago(day)}) < ${perAddress}
        )
        SELECT EXISTS (SELECT FROM admitted) AS admitted`

      return Signups.of({
        request: (signup, source, limits) =>
          inTurn(queue)(
            Effect.orDie(
              sql.withTransaction(
                Effect.gen(function* () {
                  yield* sql`SELECT ${advisoryLock(sql, "portico/signups")}`
                  yield* sql`DELETE FROM signup_requests WHERE at <= ${ago(limits.window)}`
                  return (yield* admit(signup, source, limits))[0]?.admitted === true
                })
              )
            )
          ),
        find: (signupId) => byId(signupId, sql`SELECT ${columns} FROM signups WHERE signup_id = ${signupId}`),
        page: ({ state, ...page }) =>
          Effect.all({
            count: countOf(sql`SELECT count(*)::int AS count FROM signups WHERE ${inState(state)}`),
            rows: rows(sql`
              SELECT ${columns} FROM signups WHERE ${inState(state)} AND ${sqlPage(sql, "signup_id", page)}`)
          }),
        claim: (signup, attemptId) =>
          some(sql`UPDATE signups SET attempt_id = ${attemptId} WHERE ${unchanged(signup)} RETURNING ${columns}`),
        settle: (attemptId, { by, projectId }) =>
          one(sql`
            UPDATE signups SET state = 'onboarded', project_id = ${projectId}, decided_by = ${by}, decided_at = ${now}
            WHERE attempt_id = ${attemptId} AND state = 'pending' RETURNING ${columns}`),
        reject: (signup, by) =>
          first(sql`
            UPDATE signups SET state = 'rejected', decided_by = ${by}, decided_at = ${now}
            WHERE ${unchanged(signup)} RETURNING ${columns}`)
      })
    })
  )
}
