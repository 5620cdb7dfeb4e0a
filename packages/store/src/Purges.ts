import { PurgeState, PurgeStep } from "@portico/contract/Projects"
import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { HoldReason } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { changesOf, moment, momentsOf, rowsOf, some } from "./rows.ts"
import { StepMessage, stored } from "./StepMessage.ts"

/** A billed resource that is about to be removed. The ledger is notified once it is gone. */
export const Ending = Schema.Struct({ step: Schema.String, id: Schema.String })
export type Ending = typeof Ending.Type

export const PurgeEntry = Schema.Struct({
  project_id: Schema.String,
  /**
   * Why the project is purged: a deletion restores the project by itself when
   * the purge fails; for a closure the owner decides.
   */
  reason: HoldReason,
  state: PurgeState,
  cancelled: Schema.Boolean,
  requested_by: Schema.String,
  request_id: Schema.String,
  progress: Schema.Array(PurgeStep),
  ending: Schema.Array(Ending),
  /** Whether the tenant had turned NAT off. A recreated router does not know that. Null until observed. */
  nat_off: Schema.NullOr(Schema.Boolean),
  refusal: Schema.NullOr(StepMessage),
  failure: Schema.NullOr(Schema.String),
  failures: Schema.Int,
  restored: Schema.Array(Schema.String),
  started_at: moment,
  /** The lease of the process that works on it; null while it waits or is over. */
  lease: Schema.NullOr(Schema.String),
  /** When the lease ends, or when the purge is due; null when it is over. */
  lease_ends: Schema.NullOr(moment)
})
export type PurgeEntry = typeof PurgeEntry.Type

/** Renewed at every observation of the progress. Longer than the slowest step between two observations. */
export const purgeLease = Duration.minutes(2)

/** The columns that the lease holder changes. */
const changing = ["state", "progress", "ending", "nat_off", "refusal", "failure", "failures", "restored"] as const
export type PurgeChange = Partial<Pick<PurgeEntry, (typeof changing)[number]>>

/**
 * The purges of projects, one row each. Only the lease holder changes the row,
 * except that any caller may set `cancelled`. The row of a finished purge stays
 * as its result. The row of a project that is gone is deleted with the tenant.
 */
export class Purges extends Context.Service<
  Purges,
  {
    /** Begins a purge that is due at once; undefined while another one is under way. A finished one is replaced. */
    open(
      purge: Pick<PurgeEntry, "project_id" | "reason" | "requested_by" | "request_id">
    ): Effect.Effect<PurgeEntry | undefined>
    find(projectId: string): Effect.Effect<PurgeEntry | undefined>
    /** Claims a purge that is due, of this project or with this reason. Each goes to one replica. */
    claim(
      which: { readonly projectId: string } | { readonly reason: HoldReason }
    ): Effect.Effect<PurgeEntry | undefined>
    /** Stores the progress and renews the lease. Undefined when the lease has passed to another process. */
    keep(entry: PurgeEntry, change: PurgeChange): Effect.Effect<PurgeEntry | undefined>
    /** Passes the point of no return. Undefined when the purge was cancelled before, or the lease has passed. */
    passReturn(entry: PurgeEntry): Effect.Effect<PurgeEntry | undefined>
    /**
     * Releases the lease. The purge is due again after the pause, or never
     * without one. False when the lease had passed already.
     */
    release(entry: PurgeEntry, change: PurgeChange, pause: Duration.Duration | undefined): Effect.Effect<boolean>
    /**
     * Cancels a deletion and makes the purge due. Undefined past the point of
     * no return, or when no deletion is under way.
     */
    cancel(projectId: string): Effect.Effect<PurgeEntry | undefined>
    /**
     * Deletes the row once the project is gone, together with the tenant's.
     * False when the lease has passed. Part of a transaction.
     */
    close(entry: PurgeEntry): Effect.Effect<boolean>
  }
>()("portico/store/Purges") {
  static readonly layer = Layer.effect(
    Purges,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { byId, first } = rowsOf(PurgeEntry)
      const { now } = momentsOf(sql)
      const changed = changesOf(sql, changing)
      const changes = (change: PurgeChange) => changed({ ...change, refusal: change.refusal && stored(change.refusal) })
      const { claim, own, released, renewed } = leasedOf(sql, { table: "purges", key: "project_id", time: purgeLease })

      return Purges.of({
        open: ({ project_id, reason, request_id, requested_by }) =>
          first(sql`
            INSERT INTO purges (project_id, reason, state, requested_by, request_id, lease_ends)
            VALUES (${project_id}, ${reason}, 'purging', ${requested_by}, ${request_id}, ${now})
            ON CONFLICT (project_id) DO UPDATE SET reason = EXCLUDED.reason, state = 'purging', cancelled = false,
              requested_by = EXCLUDED.requested_by, request_id = EXCLUDED.request_id, progress = '[]', ending = '[]',
              nat_off = NULL, refusal = NULL, failure = NULL, failures = 0, restored = '[]', started_at = ${now}, lease = NULL,
              lease_ends = ${now}
            WHERE purges.state IN ('refused', 'cancelled')
            RETURNING *`),
        find: (projectId) => byId(projectId, sql`SELECT * FROM purges WHERE project_id = ${projectId}`),
        claim: (which) => {
          const wanted = "projectId" in which ? sql`project_id = ${which.projectId}` : sql`reason = ${which.reason}`
          return first(sql`${claim({ if: wanted, limit: 1 })} RETURNING *`)
        },
        keep: (entry, change) =>
          first(sql`
            UPDATE purges SET ${sql.csv([...changes(change), renewed])} WHERE ${own(entry)} RETURNING *`),
        passReturn: (entry) =>
          first(sql`
            UPDATE purges SET state = 'finishing', ${renewed}
            WHERE ${own(entry)} AND NOT cancelled RETURNING *`),
        release: (entry, change, pause) =>
          some(sql`
              UPDATE purges SET ${sql.csv([...changes(change), released(pause)])}
              WHERE ${own(entry)} RETURNING *`),
        // A purge that waits out a pause becomes due at once.
        cancel: (projectId) =>
          byId(
            projectId,
            sql`
            UPDATE purges SET cancelled = true,
              lease_ends = CASE WHEN lease IS NULL THEN LEAST(lease_ends, ${now}) ELSE lease_ends END
            WHERE project_id = ${projectId} AND reason = 'project_deletion' AND state IN ('purging', 'restoring') RETURNING *`
          ),
        close: (entry) => some(sql`DELETE FROM purges WHERE ${own(entry)} RETURNING *`)
      })
    })
  )
}
