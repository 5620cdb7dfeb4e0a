import { Left, OnboardingState } from "@portico/contract/Journal"
import { Tier } from "@portico/contract/Tiers"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Memory } from "./Memory.ts"
import { moment, rowsOf } from "./rows.ts"

export const JournalEntry = Schema.Struct({
  attempt_id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  tier: Tier,
  /** The names of the steps that the attempt runs, so that another process knows what there is to undo. */
  steps: Schema.Array(Schema.String),
  state: OnboardingState,
  failure: Schema.NullOr(Schema.String),
  left_behind: Schema.Array(Left),
  withdrawals: Schema.Int,
  started_at: moment,
  lease: Schema.String,
  lease_ends: moment
})
export type JournalEntry = typeof JournalEntry.Type

/** No attempt outlives its lease; after that the entry belongs to whoever claims it. */
export const lease = Duration.minutes(2)

/** The pause before a stuck entry is tried again doubles up to this. */
const longestPause = Duration.hours(1)

const pauseAfter = (withdrawals: number): Duration.Duration =>
  Duration.min(Duration.times(lease, 2 ** Math.min(withdrawals, 10)), longestPause)

/**
 * What makes onboarding survive a crash. An entry is opened before the first
 * upstream call, and then either settled, when the tenant is live, or dropped,
 * when nothing is left. An entry that is neither when its lease ends is
 * claimed and rolled back. Whoever holds the lease alone may change the entry.
 */
export class Journal extends Context.Service<
  Journal,
  {
    open(entry: Pick<JournalEntry, "attempt_id" | "name" | "slug" | "tier" | "steps">): Effect.Effect<JournalEntry>
    /** Whether an entry holds the slug; a resting one does not. */
    slugHeld(slug: string): Effect.Effect<boolean>
    /** Closes the entry of a complete onboarding. False when the lease has passed: the caller must roll back. */
    settle(entry: JournalEntry): Effect.Effect<boolean>
    /** Turns the holder's own entry backward, with a new lease. Undefined when it passed to another process. */
    turnBack(entry: JournalEntry, failure: string | null): Effect.Effect<JournalEntry | undefined>
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
      const { first, one, rows } = rowsOf(JournalEntry)
      const after = (duration: Duration.Duration) => sql`now() + ${Duration.toSeconds(duration)} * interval '1 second'`
      const own = (entry: JournalEntry) => sql`attempt_id = ${entry.attempt_id} AND lease = ${entry.lease}::uuid`

      return Journal.of({
        open: ({ attempt_id, name, slug, steps, tier }) =>
          one(sql`
            INSERT INTO onboardings (attempt_id, name, slug, tier, steps, state, lease, lease_ends)
            VALUES (${attempt_id}, ${name}, ${slug}, ${tier}, ${json(steps)}, 'running', ${randomUUID()}::uuid, ${after(lease)})
            RETURNING *`),
        slugHeld: (slug) =>
          Effect.map(
            rows(sql`SELECT * FROM onboardings WHERE slug = ${slug} AND state <> 'resting'`),
            (_) => _.length > 0
          ),
        settle: (entry) =>
          Effect.map(
            first(
              sql`DELETE FROM onboardings WHERE ${own(entry)} AND state = 'running' AND lease_ends > now() RETURNING *`
            ),
            (_) => _ !== undefined
          ),
        turnBack: (entry, failure) =>
          first(sql`
            UPDATE onboardings SET state = 'withdrawing', failure = ${failure}, withdrawals = withdrawals + 1, lease_ends = ${after(lease)}
            WHERE ${own(entry)} RETURNING *`),
        drop: (entry) => Effect.asVoid(rows(sql`DELETE FROM onboardings WHERE ${own(entry)} RETURNING *`)),
        rest: (entry) =>
          Effect.asVoid(
            rows(sql`
              UPDATE onboardings SET state = 'resting', left_behind = '[]', lease_ends = ${after(lease)}
              WHERE ${own(entry)} RETURNING *`)
          ),
        stick: (entry, left) =>
          Effect.asVoid(
            rows(sql`
              UPDATE onboardings
              SET state = CASE state WHEN 'resting' THEN 'resting' ELSE 'stuck' END, left_behind = ${json(left)}, lease_ends = ${after(pauseAfter(entry.withdrawals))}
              WHERE ${own(entry)} RETURNING *`)
          ),
        // One statement, so that replicas need neither a lock nor a leader.
        claimAbandoned: rows(sql`
          UPDATE onboardings SET
            state = CASE state WHEN 'resting' THEN 'resting' ELSE 'withdrawing' END,
            withdrawals = withdrawals + 1, lease = gen_random_uuid(), lease_ends = ${after(lease)}
          WHERE attempt_id IN (SELECT attempt_id FROM onboardings WHERE lease_ends < now() FOR NO KEY UPDATE SKIP LOCKED)
          RETURNING *`),
        claim: (attemptId) =>
          first(sql`
            UPDATE onboardings SET
              state = CASE state WHEN 'resting' THEN 'resting' ELSE 'withdrawing' END,
              withdrawals = withdrawals + 1, lease = gen_random_uuid(), lease_ends = ${after(lease)}
            WHERE attempt_id = ${attemptId} AND (state IN ('stuck', 'resting') OR lease_ends < now()) RETURNING *`),
        find: (attemptId) => first(sql`SELECT * FROM onboardings WHERE attempt_id = ${attemptId}`),
        list: rows(sql`SELECT * FROM onboardings ORDER BY started_at, attempt_id`)
      })
    })
  )

  static readonly layerMemory = Layer.effect(
    Journal,
    Effect.gen(function* () {
      const { onboardings } = yield* Memory
      const after = (duration: Duration.Duration) =>
        Effect.map(Clock.currentTimeMillis, (now) => DateTime.makeUnsafe(now + Duration.toMillis(duration)))
      const ended = (entry: JournalEntry, now: number) => DateTime.toEpochMillis(entry.lease_ends) < now

      const put = (entry: JournalEntry) =>
        Effect.sync(() => {
          onboardings.set(entry.attempt_id, entry)
          return entry
        })

      /** Changes the entry when the caller still holds it. */
      const change = Effect.fnUntraced(function* (entry: JournalEntry, what: Partial<JournalEntry>) {
        const held = onboardings.get(entry.attempt_id)
        return held?.lease === entry.lease ? yield* put({ ...held, ...what }) : undefined
      })

      const take = Effect.fnUntraced(function* (entry: JournalEntry) {
        return yield* put({
          ...entry,
          state: entry.state === "resting" ? "resting" : "withdrawing",
          withdrawals: entry.withdrawals + 1,
          lease: randomUUID(),
          lease_ends: yield* after(lease)
        })
      })

      return Journal.of({
        open: Effect.fnUntraced(function* (entry) {
          return yield* put({
            ...entry,
            state: "running",
            failure: null,
            left_behind: [],
            withdrawals: 0,
            started_at: yield* DateTime.now,
            lease: randomUUID(),
            lease_ends: yield* after(lease)
          })
        }),
        slugHeld: (slug) =>
          Effect.sync(() => [...onboardings.values()].some((_) => _.slug === slug && _.state !== "resting")),
        settle: Effect.fnUntraced(function* (entry) {
          const now = yield* Clock.currentTimeMillis
          const held = onboardings.get(entry.attempt_id)
          if (held?.lease !== entry.lease || held.state !== "running" || ended(held, now)) return false
          return onboardings.delete(entry.attempt_id)
        }),
        turnBack: Effect.fnUntraced(function* (entry, failure) {
          return yield* change(entry, {
            state: "withdrawing",
            failure,
            withdrawals: entry.withdrawals + 1,
            lease_ends: yield* after(lease)
          })
        }),
        drop: (entry) =>
          Effect.sync(() => {
            if (onboardings.get(entry.attempt_id)?.lease === entry.lease) onboardings.delete(entry.attempt_id)
          }),
        rest: Effect.fnUntraced(function* (entry) {
          yield* change(entry, { state: "resting", left_behind: [], lease_ends: yield* after(lease) })
        }),
        stick: Effect.fnUntraced(function* (entry, left) {
          yield* change(entry, {
            state: entry.state === "resting" ? "resting" : "stuck",
            left_behind: left,
            lease_ends: yield* after(pauseAfter(entry.withdrawals))
          })
        }),
        claimAbandoned: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          return yield* Effect.forEach(
            [...onboardings.values()].filter((_) => ended(_, now)),
            take
          )
        }),
        claim: Effect.fnUntraced(function* (attemptId) {
          const now = yield* Clock.currentTimeMillis
          const entry = onboardings.get(attemptId)
          if (entry === undefined) return undefined
          const free = entry.state === "stuck" || entry.state === "resting" || ended(entry, now)
          return free ? yield* take(entry) : undefined
        }),
        find: (attemptId) => Effect.sync(() => onboardings.get(attemptId)),
        list: Effect.sync(() => [...onboardings.values()])
      })
    })
  )
}
