import { Left, OnboardingState } from "@portico/contract/Journal"
import { Tier } from "@portico/contract/Tiers"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { growingPause, leasedOf } from "./leased.ts"
import { Memory } from "./Memory.ts"
import { moment, momentsOf, rowsOf, run, some } from "./rows.ts"

/** The person for whom an onboarding makes a login. */
export const Owner = Schema.Struct({ email: Schema.String, display_name: Schema.String })
export type Owner = typeof Owner.Type

export const JournalEntry = Schema.Struct({
  attempt_id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  tier: Tier,
  /** The names of the steps that the attempt runs, so that another process knows what there is to undo. */
  steps: Schema.Array(Schema.String),
  /** Those of them that it has done, in the order in which they were. */
  done: Schema.Array(Schema.String),
  /** The attempt's project, once a rollback has found it; what lands late is found by it when the project is gone. */
  project_id: Schema.NullOr(Schema.String),
  /** Whose login it makes; null when it makes none. */
  owner: Schema.NullOr(Owner),
  state: OnboardingState,
  failure: Schema.NullOr(Schema.String),
  /** Whether a call was left without an answer when it turned back, and may yet take effect. */
  unsettled: Schema.Boolean,
  left_behind: Schema.Array(Left),
  withdrawals: Schema.Int,
  started_at: moment,
  /** Who works on it; nobody while it is stuck or resting. */
  lease: Schema.NullOr(Schema.String),
  lease_ends: moment
})
export type JournalEntry = typeof JournalEntry.Type

export type NewEntry = Pick<JournalEntry, "attempt_id" | "name" | "slug" | "tier" | "steps"> &
  Partial<Pick<JournalEntry, "owner">>

/** No attempt outlives its lease; after that the entry belongs to whoever claims it. */
export const lease = Duration.minutes(2)

const pause = growingPause({ first: lease, longest: Duration.hours(1) })

/** Before a stuck entry is tried again, by how often it was withdrawn. */
const pauseAfter = (withdrawals: number): Duration.Duration => pause(withdrawals + 1)

/**
 * What makes onboarding survive a crash. An entry is opened before the first
 * upstream call, and then either settled, when the tenant is live, or dropped,
 * when nothing is left. An entry that is neither when its lease ends is
 * claimed and rolled back. Whoever holds the lease alone may change the entry.
 */
export class Journal extends Context.Service<
  Journal,
  {
    open(entry: NewEntry): Effect.Effect<JournalEntry>
    /** Whether an entry holds the slug; a resting one does not. */
    slugHeld(slug: string): Effect.Effect<boolean>
    /** Closes the entry of a complete onboarding. False when the lease has passed: the caller must roll back. */
    settle(entry: JournalEntry): Effect.Effect<boolean>
    /** Turns the holder's own entry backward, with a new lease. Undefined when it passed to another process. */
    turnBack(entry: JournalEntry, failure: string | null, unsettled: boolean): Effect.Effect<JournalEntry | undefined>
    /** A step is done: for whoever looks, since a rollback undoes every step. */
    did(entry: JournalEntry, step: string): Effect.Effect<void>
    /** Remembers the attempt's project. */
    locate(entry: JournalEntry, projectId: string): Effect.Effect<void>
    /** Nothing is left. */
    drop(entry: JournalEntry): Effect.Effect<void>
    /** Nothing is left now; look once more when the lease ends. The name is free meanwhile. */
    rest(entry: JournalEntry): Effect.Effect<void>
    /**
     * Something could not be removed; it is tried again after a growing pause.
     * A resting entry stays resting: its name may be somebody else's by now.
     */
    stick(entry: JournalEntry, left: ReadonlyArray<Left>): Effect.Effect<void>
    /** Claims every entry whose lease has ended. Each goes to one caller, across all replicas. */
    readonly claimAbandoned: Effect.Effect<ReadonlyArray<JournalEntry>>
    /** Claims one entry for an operator. Undefined while a running process holds it. */
    claim(attemptId: string): Effect.Effect<JournalEntry | undefined>
    find(attemptId: string): Effect.Effect<JournalEntry | undefined>
    readonly list: Effect.Effect<ReadonlyArray<JournalEntry>>
  }
>()("portico/store/Journal") {
  static readonly layer = Layer.effect(
    Journal,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { byId, first, one, rows } = rowsOf(JournalEntry)
      const { after, now } = momentsOf(sql)
      const { claim, isFree, own, released, renewed, taken } = leasedOf(sql, {
        table: "onboardings",
        key: "attempt_id",
        time: lease
      })
      const backward = sql`
        state = CASE state WHEN 'resting' THEN 'resting' ELSE 'withdrawing' END, withdrawals = withdrawals + 1`

      return Journal.of({
        open: ({ attempt_id, name, owner = null, slug, steps, tier }) =>
          one(sql`
            INSERT INTO onboardings (attempt_id, name, slug, tier, steps, owner, state, lease, lease_ends)
            VALUES (${attempt_id}, ${name}, ${slug}, ${tier}, ${json(steps)}, ${owner && json(owner)}, 'running', ${randomUUID()}::uuid, ${after(lease)})
            RETURNING *`),
        slugHeld: (slug) => some(sql`SELECT * FROM onboardings WHERE slug = ${slug} AND state <> 'resting'`),
        settle: (entry) =>
          some(
            sql`DELETE FROM onboardings WHERE ${own(entry)} AND state = 'running' AND lease_ends > ${now} RETURNING *`
          ),
        turnBack: (entry, failure, unsettled) =>
          first(sql`
            UPDATE onboardings SET state = 'withdrawing', failure = ${failure}, unsettled = ${unsettled}, withdrawals = withdrawals + 1, ${renewed}
            WHERE ${own(entry)} RETURNING *`),
        did: (entry, step) =>
          run(sql`UPDATE onboardings SET done = done || to_jsonb(${step}::text) WHERE ${own(entry)}`),
        locate: (entry, projectId) => run(sql`UPDATE onboardings SET project_id = ${projectId} WHERE ${own(entry)}`),
        drop: (entry) => run(sql`DELETE FROM onboardings WHERE ${own(entry)}`),
        rest: (entry) =>
          run(sql`
              UPDATE onboardings SET state = 'resting', left_behind = '[]', ${released(lease)}
              WHERE ${own(entry)}`),
        stick: (entry, left) =>
          run(sql`
              UPDATE onboardings
              SET state = CASE state WHEN 'resting' THEN 'resting' ELSE 'stuck' END, left_behind = ${json(left)},
                ${released(pauseAfter(entry.withdrawals))}
              WHERE ${own(entry)}`),
        claimAbandoned: rows(sql`${claim({ set: [backward] })} RETURNING *`),
        claim: (attemptId) =>
          byId(
            attemptId,
            sql`
            UPDATE onboardings SET ${taken}, ${backward} WHERE attempt_id = ${attemptId} AND ${isFree} RETURNING *`
          ),
        find: (attemptId) => byId(attemptId, sql`SELECT * FROM onboardings WHERE attempt_id = ${attemptId}`),
        list: rows(sql`SELECT * FROM onboardings ORDER BY started_at, attempt_id`)
      })
    })
  )

  static readonly layerMemory = Layer.effect(
    Journal,
    Effect.gen(function* () {
      const { onboardings } = yield* Memory
      const now = Clock.currentTimeMillis
      const ended = (entry: JournalEntry, now: number) => DateTime.toEpochMillis(entry.lease_ends) <= now
      const after = (now: number, duration: Duration.Duration) => DateTime.makeUnsafe(now + Duration.toMillis(duration))
      const own = ({ attempt_id, lease }: JournalEntry) => {
        const held = onboardings.get(attempt_id)
        return lease !== null && held?.lease === lease ? held : undefined
      }
      const slugHeld = (slug: string) => [...onboardings.values()].some((_) => _.slug === slug && _.state !== "resting")

      const put = (entry: JournalEntry) => {
        onboardings.set(entry.attempt_id, entry)
        return entry
      }
      const taken = (entry: JournalEntry, now: number) =>
        put({
          ...entry,
          state: entry.state === "resting" ? "resting" : "withdrawing",
          withdrawals: entry.withdrawals + 1,
          lease: randomUUID(),
          lease_ends: after(now, lease)
        })

      return Journal.of({
        open: Effect.fnUntraced(function* (entry) {
          const at = yield* now
          if (slugHeld(entry.slug)) return yield* Effect.die(new Error(`an entry holds the slug ${entry.slug}`))
          return put({
            owner: null,
            ...entry,
            state: "running",
            failure: null,
            unsettled: false,
            project_id: null,
            done: [],
            left_behind: [],
            withdrawals: 0,
            started_at: DateTime.makeUnsafe(at),
            lease: randomUUID(),
            lease_ends: after(at, lease)
          })
        }),
        slugHeld: (slug) => Effect.sync(() => slugHeld(slug)),
        settle: (entry) =>
          Effect.map(now, (at) => {
            const held = own(entry)
            return held?.state === "running" && !ended(held, at) && onboardings.delete(held.attempt_id)
          }),
        turnBack: (entry, failure, unsettled) =>
          Effect.map(now, (at) => {
            const held = own(entry)
            if (held === undefined) return undefined
            const withdrawals = held.withdrawals + 1
            return put({ ...held, state: "withdrawing", failure, unsettled, withdrawals, lease_ends: after(at, lease) })
          }),
        did: (entry, step) =>
          Effect.sync(() => {
            const held = own(entry)
            if (held !== undefined) put({ ...held, done: [...held.done, step] })
          }),
        locate: (entry, projectId) =>
          Effect.sync(() => {
            const held = own(entry)
            if (held !== undefined) put({ ...held, project_id: projectId })
          }),
        drop: (entry) =>
          Effect.sync(() => {
            if (own(entry) !== undefined) onboardings.delete(entry.attempt_id)
          }),
        rest: (entry) =>
          Effect.map(now, (at) => {
            const held = own(entry)
            if (held === undefined) return
            put({ ...held, state: "resting", left_behind: [], lease: null, lease_ends: after(at, lease) })
          }),
        stick: (entry, left) =>
          Effect.map(now, (at) => {
            const held = own(entry)
            if (held === undefined) return
            const state = held.state === "resting" ? "resting" : "stuck"
            const pauseEnds = after(at, pauseAfter(entry.withdrawals))
            put({ ...held, state, left_behind: left, lease: null, lease_ends: pauseEnds })
          }),
        claimAbandoned: Effect.map(now, (at) =>
          [...onboardings.values()].filter((_) => ended(_, at)).map((_) => taken(_, at))
        ),
        claim: (attemptId) =>
          Effect.map(now, (at) => {
            const entry = onboardings.get(attemptId)
            return entry !== undefined && (entry.lease === null || ended(entry, at)) ? taken(entry, at) : undefined
          }),
        find: (attemptId) => Effect.sync(() => onboardings.get(attemptId)),
        list: Effect.sync(() => [...onboardings.values()])
      })
    })
  )
}
