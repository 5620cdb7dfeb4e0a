import type { PageRequest } from "@portico/contract/Page"
import { SignupState } from "@portico/contract/Signups"
import { Clock, Context, DateTime, Duration, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { Memory } from "./Memory.ts"
import { type Found, pageIn } from "./Pages.ts"
import { moment, momentsOf, rowsOf, some } from "./rows.ts"

export const SignupEntry = Schema.Struct({
  signup_id: Schema.String,
  email: Schema.String,
  org_name: Schema.String,
  /** The name as it is compared. */
  org_key: Schema.String,
  /** `approving` stands in no row: it is a pending one whose attempt holds its name in the journal. */
  state: SignupState,
  attempt_id: Schema.NullOr(Schema.String),
  project_id: Schema.NullOr(Schema.String),
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(moment),
  created_at: moment
})
export type SignupEntry = typeof SignupEntry.Type

/** Somebody asked, whatever became of it. */
export interface SignupRequestRow {
  readonly source: string
  readonly at: DateTime.Utc
}

export type NewSignup = Pick<SignupEntry, "signup_id" | "email" | "org_name" | "org_key">

/** How many signups are let in. */
export interface SignupLimits {
  /** For how long they are counted. */
  readonly window: Duration.Duration
  /** From everywhere together. */
  readonly total: number
  readonly perSource: number
  /** Rows of one e-mail address in a day. */
  readonly perAddress: number
}

const day = Duration.days(1)

/**
 * The queue. That a signup is being approved is not written into its row but
 * follows from the journal: while the entry of its attempt is there, and has
 * not come to rest, nobody else can decide. So it can never be stuck in it.
 */
export class Signups extends Context.Service<
  Signups,
  {
    /**
     * Queues the signup, unless its address has queued that organisation
     * already, became its owner, or has queued too many. Which it was is not
     * told, and is the same work. False when too many signups came from there,
     * or from everywhere. Across all replicas one after the other.
     */
    request(signup: NewSignup, source: string, limits: SignupLimits): Effect.Effect<boolean>
    find(signupId: string): Effect.Effect<SignupEntry | undefined>
    /** One row more than were asked for, if there are, oldest first; and the number of all of that state. */
    page(request: PageRequest & { readonly state: SignupState | undefined }): Effect.Effect<Found<SignupEntry>>
    /**
     * Gives a pending signup to an attempt. False when somebody else decided
     * since it was read. In the transaction that opens the journal entry.
     */
    claim(signup: SignupEntry, attemptId: string): Effect.Effect<boolean>
    /** The attempt's tenant is live. In the transaction that settles the journal entry. */
    settle(attemptId: string, options: { readonly projectId: string; readonly by: string }): Effect.Effect<SignupEntry>
    /** Undefined when somebody else decided since it was read. */
    reject(signup: SignupEntry, by: string): Effect.Effect<SignupEntry | undefined>
  }
>()("portico/store/Signups") {
  static readonly layer = Layer.effect(
    Signups,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { byId, first, one, rows } = rowsOf(SignupEntry)
      const { now } = momentsOf(sql)
      const since = (duration: Duration.Duration) => sql`${now} - ${Duration.toSeconds(duration)} * interval '1 second'`
      // Only one request of this process waits for the lock, so that the others leave the connections to those who have work.
      const door = yield* Semaphore.make(1)

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
      /** The row as it was read: nobody has decided since. */
      const unchanged = ({ attempt_id, signup_id }: SignupEntry) =>
        sql`signup_id = ${signup_id} AND state = 'pending' AND attempt_id IS NOT DISTINCT FROM ${attempt_id}`

      const admit = (_: NewSignup, source: string, { perAddress, perSource, total, window }: SignupLimits) => sql<{
        admitted: boolean
      }>`
        WITH admitted AS (
          INSERT INTO signup_requests (source)
          SELECT ${source}
          WHERE (SELECT count(*) FROM signup_requests) < ${total}
            AND (SELECT count(*) FROM signup_requests WHERE source = ${source} AND at > ${since(window)}) < ${perSource}
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
              WHERE lower(email) = lower(${_.email}) AND created_at > ${since(day)}) < ${perAddress}
        )
        SELECT EXISTS (SELECT FROM admitted) AS admitted`

      return Signups.of({
        request: (signup, source, limits) =>
          door.withPermits(1)(
            Effect.orDie(
              sql.withTransaction(
                Effect.gen(function* () {
                  yield* sql`SELECT pg_advisory_xact_lock(hashtext('portico/signups'))`
                  yield* sql`DELETE FROM signup_requests WHERE at <= ${since(limits.window)}`
                  return (yield* admit(signup, source, limits))[0]?.admitted === true
                })
              )
            )
          ),
        find: (signupId) => byId(signupId, sql`SELECT ${columns} FROM signups WHERE signup_id = ${signupId}`),
        page: Effect.fnUntraced(function* ({ after, limit, state }) {
          const behind =
            after === undefined
              ? sql`true`
              : sql`(created_at, signup_id) > (${DateTime.toDateUtc(DateTime.makeUnsafe(after.at))}, ${after.id})`
          const counted = yield* Effect.orDie(
            sql<{ count: number }>`SELECT count(*)::int AS count FROM signups WHERE ${inState(state)}`
          )
          return {
            count: counted[0]?.count ?? 0,
            rows: yield* rows(sql`
              SELECT ${columns} FROM signups WHERE ${inState(state)} AND ${behind}
              ORDER BY created_at, signup_id LIMIT ${limit + 1}`)
          }
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

  static readonly layerMemory = Layer.effect(
    Signups,
    Effect.gen(function* () {
      const { onboardings, signupRequests, signups, tenants } = yield* Memory
      const now = Clock.currentTimeMillis
      const lasts = (from: DateTime.Utc, duration: Duration.Duration, now: number) =>
        DateTime.toEpochMillis(from) + Duration.toMillis(duration) > now

      const seen = (entry: SignupEntry): SignupEntry => {
        const attempt = entry.attempt_id === null ? undefined : onboardings.get(entry.attempt_id)
        const held = entry.state === "pending" && attempt !== undefined && attempt.state !== "resting"
        return held ? { ...entry, state: "approving" } : entry
      }
      /** The row as it was read: nobody has decided since. */
      const unchanged = ({ attempt_id, signup_id }: SignupEntry) => {
        const entry = signups.get(signup_id)
        return entry?.state === "pending" && entry.attempt_id === attempt_id ? entry : undefined
      }
      const put = (entry: SignupEntry) => {
        signups.set(entry.signup_id, entry)
        return seen(entry)
      }
      const known = ({ email, org_key }: NewSignup) =>
        [...signups.values()].some(
          (_) =>
            _.email.toLowerCase() === email.toLowerCase() &&
            _.org_key === org_key &&
            (_.state === "pending" || (_.state === "onboarded" && tenants.has(_.project_id ?? "")))
        )

      return Signups.of({
        request: (signup, source, { perAddress, perSource, total, window }) =>
          Effect.map(now, (at) => {
            for (const [id, request] of signupRequests) if (!lasts(request.at, window, at)) signupRequests.delete(id)
            const lately = [...signupRequests.values()]
            if (lately.length >= total || lately.filter((_) => _.source === source).length >= perSource) return false
            signupRequests.set(signup.signup_id, { source, at: DateTime.makeUnsafe(at) })
            const own = [...signups.values()].filter((_) => _.email.toLowerCase() === signup.email.toLowerCase())
            if (known(signup) || own.filter((_) => lasts(_.created_at, day, at)).length >= perAddress) return true
            put({
              ...signup,
              state: "pending",
              attempt_id: null,
              project_id: null,
              decided_by: null,
              decided_at: null,
              created_at: DateTime.makeUnsafe(at)
            })
            return true
          }),
        find: (signupId) =>
          Effect.sync(() => {
            const entry = signups.get(signupId)
            return entry && seen(entry)
          }),
        page: ({ after, limit, state }) =>
          Effect.sync(() => {
            const all = [...signups.values()].map(seen).filter((_) => state === undefined || _.state === state)
            return pageIn(all, (_) => _.signup_id, { after, limit })
          }),
        claim: (signup, attemptId) =>
          Effect.sync(() => {
            const entry = unchanged(signup)
            if (entry !== undefined) put({ ...entry, attempt_id: attemptId })
            return entry !== undefined
          }),
        settle: Effect.fnUntraced(function* (attemptId, { by, projectId }) {
          const decided_at = yield* DateTime.now
          const entry = [...signups.values()].find((_) => _.attempt_id === attemptId && _.state === "pending")
          if (entry === undefined) return yield* Effect.die(new Error(`no signup is claimed by ${attemptId}`))
          return put({ ...entry, state: "onboarded", project_id: projectId, decided_by: by, decided_at })
        }),
        reject: (signup, by) =>
          Effect.map(DateTime.now, (decided_at) => {
            const entry = unchanged(signup)
            return entry && put({ ...entry, state: "rejected", decided_by: by, decided_at })
          })
      })
    })
  )
}
