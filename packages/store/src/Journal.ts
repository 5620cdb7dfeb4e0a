import { OnboardingState } from "@portico/contract/Journal"
import { Tier } from "@portico/contract/Tiers"
import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { growingPause, leasedOf } from "./leased.ts"
import { moment, momentsOf, rowsOf, run, some } from "./rows.ts"
import { StepMessage, stored } from "./StepMessage.ts"

/** The owner whose login an onboarding creates. */
export const Owner = Schema.Struct({ email: Schema.String, display_name: Schema.String })
export type Owner = typeof Owner.Type

export const JournalEntry = Schema.Struct({
  attempt_id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  tier: Tier,
  /** The names of the attempt's steps, so that another process knows what to undo. */
  steps: Schema.Array(Schema.String),
  /** The completed steps, in their order. */
  done: Schema.Array(Schema.String),
  /** The steps whose undo has ended in the current rollback, whether or not it removed everything. */
  withdrawn: Schema.Array(Schema.String),
  /**
   * The attempt's project, once a rollback has found it. The rollback uses it
   * to find resources that appear after the project is gone.
   */
  project_id: Schema.NullOr(Schema.String),
  /** The owner whose login it creates; null when it creates none. */
  owner: Schema.NullOr(Owner),
  state: OnboardingState,
  failure: Schema.NullOr(Schema.String),
  /** True when a call had no response when the attempt turned to rollback, and may still take effect. */
  unsettled: Schema.Boolean,
  left_behind: Schema.Array(StepMessage),
  withdrawals: Schema.Int,
  started_at: moment,
  /** The lease of the process that works on it; null while it is stuck or resting. */
  lease: Schema.NullOr(Schema.String),
  lease_ends: moment
})
export type JournalEntry = typeof JournalEntry.Type

export type NewEntry = Pick<JournalEntry, "attempt_id" | "name" | "slug" | "tier" | "steps"> &
  Partial<Pick<JournalEntry, "owner">>

/** No attempt outlives its lease. After it any process may claim the entry. */
export const lease = Duration.minutes(2)

const pause = growingPause({ first: lease, longest: Duration.hours(1) })

/** The pause before a stuck entry is tried again, by the number of its withdrawals. */
export const pauseAfter = (withdrawals: number): Duration.Duration => pause(withdrawals + 1)

/**
 * Makes onboarding survive a crash. An entry is opened before the first
 * upstream call. It is then settled, when the tenant is live, or dropped, when
 * nothing is left. An entry that is neither when its lease ends is claimed and
 * rolled back. Only the lease holder may change the entry. A process that lost
 * its lease and still runs, because its machine stood still, takes the entry
 * back and removes what it made.
 */
export class Journal extends Context.Service<
  Journal,
  {
    open(entry: NewEntry): Effect.Effect<JournalEntry>
    /** Whether an entry holds the slug. A resting entry does not. */
    slugHeld(slug: string): Effect.Effect<boolean>
    /** Closes the entry of a complete onboarding. False when the lease has passed: the caller must roll back. */
    settle(entry: JournalEntry): Effect.Effect<boolean>
    /**
     * Turns the holder's entry to rollback and renews the lease. Undefined when
     * the lease passed to another process.
     */
    turnBack(entry: JournalEntry, failure: string | null, unsettled: boolean): Effect.Effect<JournalEntry | undefined>
    /** Whether the holder may go on: its lease has neither passed nor ended. */
    holds(entry: JournalEntry): Effect.Effect<boolean>
    /**
     * Takes the entry back for the process whose calls those were, from whoever removes them, or opens it anew when
     * nothing was left and it was dropped: what this process made since is found by nobody else. Undefined when the
     * tenant is there, which has the stamp.
     */
    reopen(entry: JournalEntry, stamp: string): Effect.Effect<JournalEntry | undefined>
    /** Records a completed step. It is for observers only: a rollback undoes every step. */
    did(entry: JournalEntry, step: string): Effect.Effect<void>
    /** Records a step whose undo has ended. It is for observers only, and forgotten when another rollback begins. */
    withdrew(entry: JournalEntry, step: string): Effect.Effect<void>
    /** Stores the attempt's project. */
    locate(entry: JournalEntry, projectId: string): Effect.Effect<void>
    /** Deletes the entry: nothing of the attempt is left. */
    drop(entry: JournalEntry): Effect.Effect<void>
    /** Nothing is left now. The sweep looks once more when the lease ends. The name is free meanwhile. */
    rest(entry: JournalEntry): Effect.Effect<void>
    /**
     * Something could not be removed. It is tried again after a growing pause.
     * A resting entry stays resting, because another tenant may have its name
     * by now.
     */
    stick(entry: JournalEntry, left: ReadonlyArray<StepMessage>): Effect.Effect<void>
    /** Claims every entry whose lease has ended. Each goes to one replica. */
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
        state = CASE state WHEN 'resting' THEN 'resting' ELSE 'withdrawing' END, withdrawals = withdrawals + 1,
        withdrawn = '[]'`

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
            UPDATE onboardings SET state = 'withdrawing', failure = ${failure}, unsettled = ${unsettled}, withdrawals = withdrawals + 1, withdrawn = '[]', ${renewed}
            WHERE ${own(entry)} RETURNING *`),
        holds: (entry) =>
          some(sql`SELECT 1 FROM onboardings WHERE ${own(entry)} AND state = 'running' AND lease_ends > ${now}`),
        reopen: ({ attempt_id, name, owner, project_id, slug, started_at, steps, tier }, stamp) =>
          first(sql`
            INSERT INTO onboardings (attempt_id, name, slug, tier, steps, owner, project_id, state, unsettled, withdrawals, started_at, lease, lease_ends)
            SELECT ${attempt_id}, ${name}, ${slug}, ${tier}, ${json(steps)}, ${owner && json(owner)}, ${project_id}::text, 'resting', true, 1,
              ${DateTime.toDateUtc(started_at)}, ${randomUUID()}::uuid, ${after(lease)}
            WHERE NOT EXISTS (SELECT FROM tenants WHERE stamp = ${stamp})
            ON CONFLICT (attempt_id) DO UPDATE SET unsettled = true, withdrawals = onboardings.withdrawals + 1,
              withdrawn = '[]', project_id = COALESCE(onboardings.project_id, EXCLUDED.project_id), lease = EXCLUDED.lease, lease_ends = EXCLUDED.lease_ends
            RETURNING *`),
        did: (entry, step) =>
          run(sql`UPDATE onboardings SET done = done || to_jsonb(${step}::text) WHERE ${own(entry)}`),
        withdrew: (entry, step) =>
          run(sql`UPDATE onboardings SET withdrawn = withdrawn || to_jsonb(${step}::text) WHERE ${own(entry)}`),
        locate: (entry, projectId) => run(sql`UPDATE onboardings SET project_id = ${projectId} WHERE ${own(entry)}`),
        drop: (entry) => run(sql`DELETE FROM onboardings WHERE ${own(entry)}`),
        rest: (entry) =>
          run(sql`
              UPDATE onboardings SET state = 'resting', left_behind = '[]', ${released(lease)}
              WHERE ${own(entry)}`),
        stick: (entry, left) =>
          run(sql`
              UPDATE onboardings
              SET state = CASE state WHEN 'resting' THEN 'resting' ELSE 'stuck' END, left_behind = ${json(left.map(stored))},
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
}
