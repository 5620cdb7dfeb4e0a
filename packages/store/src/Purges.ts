import { PurgeRefusal, PurgeState, PurgeStep } from "@portico/contract/Projects"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { HoldReason } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { Memory } from "./Memory.ts"
import { changesOf, moment, momentsOf, rowsOf, some } from "./rows.ts"

/** Something that is billed and about to be removed; the ledger hears of it when it is gone. */
export const Ending = Schema.Struct({ step: Schema.String, id: Schema.String })
export type Ending = typeof Ending.Type

export const PurgeEntry = Schema.Struct({
  project_id: Schema.String,
  /** Whose work it is: a deletion restores the project by itself when it comes to nothing, a closure's owner decides. */
  reason: HoldReason,
  state: PurgeState,
  cancelled: Schema.Boolean,
  requested_by: Schema.String,
  request_id: Schema.String,
  progress: Schema.Array(PurgeStep),
  ending: Schema.Array(Ending),
  /** Whether the tenant had turned NAT off, which a router that is made again does not know; null until looked at. */
  nat_off: Schema.NullOr(Schema.Boolean),
  refusal: Schema.NullOr(PurgeRefusal),
  failure: Schema.NullOr(Schema.String),
  failures: Schema.Int,
  restored: Schema.Array(Schema.String),
  started_at: moment,
  /** Who works on it; nobody while it waits or is over. */
  lease: Schema.NullOr(Schema.String),
  /** When the lease ends, or when it is due; null when it is over. */
  lease_ends: Schema.NullOr(moment)
})
export type PurgeEntry = typeof PurgeEntry.Type

/** Renewed with every look at the progress; longer than the slowest step between two looks. */
export const purgeLease = Duration.minutes(2)

export type PurgeChange = Partial<
  Pick<PurgeEntry, "state" | "progress" | "ending" | "nat_off" | "refusal" | "failure" | "failures" | "restored">
>

/**
 * The destructions of projects, one row each. Whoever holds the lease alone
 * changes the row, with one exception: anybody may want it cancelled. A row
 * that is over stays to tell how it ended; that of a project that is gone
 * goes with it.
 */
export class Purges extends Context.Service<
  Purges,
  {
    /** Begins one, due at once; undefined while one is under way. One that is over makes room. */
    open(
      purge: Pick<PurgeEntry, "project_id" | "reason" | "requested_by" | "request_id">
    ): Effect.Effect<PurgeEntry | undefined>
    find(projectId: string): Effect.Effect<PurgeEntry | undefined>
    /** Takes one that is due, of this project or of any; each goes to one process, over all replicas. */
    claim(
      which: { readonly projectId: string } | { readonly reason: HoldReason }
    ): Effect.Effect<PurgeEntry | undefined>
    /** Writes down how far it has come, and renews the lease. Undefined when the lease has passed to another process. */
    keep(entry: PurgeEntry, change: PurgeChange): Effect.Effect<PurgeEntry | undefined>
    /** The point of no return. Undefined when somebody cancelled it before, or the lease has passed. */
    passReturn(entry: PurgeEntry): Effect.Effect<PurgeEntry | undefined>
    /** Lets go of it until it is due again, or for ever without a pause. False when the lease had passed already. */
    release(entry: PurgeEntry, change: PurgeChange, pause: Duration.Duration | undefined): Effect.Effect<boolean>
    /** Wants a deletion back, and makes it due. Undefined past the point of no return, or when there is none under way. */
    cancel(projectId: string): Effect.Effect<PurgeEntry | undefined>
    /** The project is gone: its row, with the tenant's. False when the lease has passed. Part of a transaction. */
    close(entry: PurgeEntry): Effect.Effect<boolean>
  }
>()("portico/store/Purges") {
  static readonly layer = Layer.effect(
    Purges,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { byId, first } = rowsOf(PurgeEntry)
      const { now } = momentsOf(sql)
      const changes = changesOf(sql)
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
        // One that waits out a pause need not wait any longer.
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

  static readonly layerMemory = Layer.effect(
    Purges,
    Effect.gen(function* () {
      const { purges } = yield* Memory
      const now = Clock.currentTimeMillis
      const at = (millis: number) => DateTime.makeUnsafe(millis)
      const later = (now: number, duration: Duration.Duration) => at(now + Duration.toMillis(duration))
      const isDue = (_: PurgeEntry, now: number) => _.lease_ends !== null && DateTime.toEpochMillis(_.lease_ends) <= now
      const own = ({ lease, project_id }: PurgeEntry) => {
        const held = purges.get(project_id)
        return lease !== null && held?.lease === lease ? held : undefined
      }
      const put = (entry: PurgeEntry) => {
        purges.set(entry.project_id, entry)
        return entry
      }

      return Purges.of({
        open: (purge) =>
          Effect.map(now, (millis) => {
            const held = purges.get(purge.project_id)
            if (held !== undefined && held.lease_ends !== null) return undefined
            return put({
              ...purge,
              state: "purging",
              cancelled: false,
              progress: [],
              ending: [],
              nat_off: null,
              refusal: null,
              failure: null,
              failures: 0,
              restored: [],
              started_at: at(millis),
              lease: null,
              lease_ends: at(millis)
            })
          }),
        find: (projectId) => Effect.sync(() => purges.get(projectId)),
        claim: (which) =>
          Effect.map(now, (millis) => {
            const due = [...purges.values()].find(
              (_) =>
                isDue(_, millis) &&
                ("projectId" in which ? _.project_id === which.projectId : _.reason === which.reason)
            )
            return due && put({ ...due, lease: randomUUID(), lease_ends: later(millis, purgeLease) })
          }),
        keep: (entry, change) =>
          Effect.map(now, (millis) => {
            const held = own(entry)
            return held && put({ ...held, ...change, lease_ends: later(millis, purgeLease) })
          }),
        passReturn: (entry) =>
          Effect.map(now, (millis) => {
            const held = own(entry)
            if (held === undefined || held.cancelled) return undefined
            return put({ ...held, state: "finishing", lease_ends: later(millis, purgeLease) })
          }),
        release: (entry, change, pause) =>
          Effect.map(now, (millis) => {
            const held = own(entry)
            if (held === undefined) return false
            put({ ...held, ...change, lease: null, lease_ends: pause === undefined ? null : later(millis, pause) })
            return true
          }),
        cancel: (projectId) =>
          Effect.map(now, (millis) => {
            const held = purges.get(projectId)
            if (held?.reason !== "project_deletion" || held.lease_ends === null || held.state === "finishing") {
              return undefined
            }
            const waits = held.lease === null && DateTime.toEpochMillis(held.lease_ends) > millis
            return put({ ...held, cancelled: true, lease_ends: waits ? at(millis) : held.lease_ends })
          }),
        close: (entry) => Effect.sync(() => own(entry) !== undefined && purges.delete(entry.project_id))
      })
    })
  )
}
