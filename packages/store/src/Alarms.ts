import { PgClient } from "@effect/sql-pg"
import { AlarmRule, AlarmSeverity } from "@portico/contract/Alarms"
import { AlarmState } from "@portico/contract/Autoscaling"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { leasedOf } from "./leased.ts"
import { changesOf, moment, momentsOf, rowsOf, run } from "./rows.ts"

export const AlarmEntry = Schema.Struct({
  alarm_id: Schema.String,
  project_id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  severity: AlarmSeverity,
  enabled: Schema.Boolean,
  rule: AlarmRule,
  /** Grows with every change by the tenant. */
  revision: Schema.Int,
  state: AlarmState,
  reason: Schema.String,
  /** How often the state has changed. */
  transitions: Schema.Int,
  last_transition_at: Schema.NullOr(moment),
  /** The last transition is not yet published to the autoscaling groups. */
  untold: Schema.Boolean,
  unknown_since: Schema.NullOr(moment),
  evaluated_at: Schema.NullOr(moment),
  created_by: Schema.String,
  created_at: moment,
  due_at: moment,
  lease: Schema.NullOr(Schema.String),
  lease_ends: Schema.NullOr(moment)
})
export type AlarmEntry = typeof AlarmEntry.Type

export type NewAlarm = Pick<
  AlarmEntry,
  | "alarm_id"
  | "project_id"
  | "name"
  | "description"
  | "severity"
  | "enabled"
  | "rule"
  | "state"
  | "reason"
  | "created_by"
>

/** The columns that a tenant changes. */
const wish = ["name", "description", "severity", "enabled", "rule"] as const
export type AlarmWish = Partial<Pick<AlarmEntry, (typeof wish)[number]>>

/** The columns that only the lease holder changes. */
const finding = [
  "state",
  "reason",
  "transitions",
  "last_transition_at",
  "untold",
  "unknown_since",
  "evaluated_at"
] as const
export type AlarmFinding = Pick<AlarmEntry, (typeof finding)[number]>

/** Longer than one evaluation with all its time-outs. */
export const alarmLease = Duration.minutes(2)

/** The number of alarms per project and state. */
export const AlarmCount = Schema.Struct({ project_id: Schema.String, state: AlarmState, count: Schema.Int })
export type AlarmCount = typeof AlarmCount.Type

/** Alarms, one row each. The tenant changes the wish. Only the lease holder changes the findings. */
export class Alarms extends Context.Service<
  Alarms,
  {
    /** The alarm is due at once. */
    insert(alarm: NewAlarm): Effect.Effect<AlarmEntry>
    find(projectId: string, alarmId: string): Effect.Effect<AlarmEntry | undefined>
    /** All alarms of a tenant, oldest first. */
    list(projectId: string): Effect.Effect<ReadonlyArray<AlarmEntry>>
    /** Changes the wish and makes the alarm due at once. Undefined when there is no such alarm. */
    change(projectId: string, alarmId: string, to: AlarmWish): Effect.Effect<AlarmEntry | undefined>
    /** Returns the removed alarm; undefined when there was none. */
    remove(projectId: string, alarmId: string): Effect.Effect<AlarmEntry | undefined>
    /** Claims the enabled alarms that have been due longest. Each goes to one replica. */
    claim(limit: number): Effect.Effect<ReadonlyArray<AlarmEntry>>
    /**
     * Stores the finding and keeps the lease. Undefined when the lease passed
     * to another process, the alarm is gone, or its wish has changed since it
     * was read. Uses the caller's transaction if there is one.
     */
    conclude(entry: AlarmEntry, to: AlarmFinding): Effect.Effect<AlarmEntry | undefined>
    /** Releases the lease. The alarm is due again after the pause, or at once when its wish has changed meanwhile. */
    release(entry: AlarmEntry, published: boolean, pause: Duration.Duration): Effect.Effect<void>
    /** The number of alarms per tenant and state. */
    readonly counts: Effect.Effect<ReadonlyArray<AlarmCount>>
  }
>()("portico/store/Alarms") {
  static readonly layer = Layer.effect(
    Alarms,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { byId, first, one, rows } = rowsOf(AlarmEntry)
      const counts = rowsOf(AlarmCount)
      const { after, now } = momentsOf(sql)
      const wished = changesOf(sql, wish)
      const found = changesOf(sql, finding)
      const { claim, own, released } = leasedOf(sql, {
        table: "alarms",
        key: "alarm_id",
        due: "due_at",
        time: alarmLease
      })

      return Alarms.of({
        insert: (_) =>
          one(sql`
            INSERT INTO alarms (alarm_id, project_id, name, description, severity, enabled, rule, state, reason,
              created_by, created_at, due_at)
            VALUES (${_.alarm_id}, ${_.project_id}, ${_.name}, ${_.description}, ${_.severity}, ${_.enabled},
              ${sql.json(_.rule)}, ${_.state}, ${_.reason}, ${_.created_by}, ${now}, ${now})
            RETURNING *`),
        find: (projectId, alarmId) =>
          byId(alarmId, sql`SELECT * FROM alarms WHERE alarm_id = ${alarmId} AND project_id = ${projectId}`),
        list: (projectId) =>
          rows(sql`SELECT * FROM alarms WHERE project_id = ${projectId} ORDER BY created_at, alarm_id`),
        change: (projectId, alarmId, to) =>
          byId(
            alarmId,
            sql`
              UPDATE alarms SET ${sql.csv([
                ...wished(to),
                sql`revision = revision + 1, unknown_since = NULL, due_at = LEAST(due_at, ${now})`
              ])}
              WHERE alarm_id = ${alarmId} AND project_id = ${projectId} RETURNING *`
          ),
        remove: (projectId, alarmId) =>
          byId(alarmId, sql`DELETE FROM alarms WHERE alarm_id = ${alarmId} AND project_id = ${projectId} RETURNING *`),
        claim: (limit) => rows(sql`${claim({ if: sql`enabled`, limit })} RETURNING *`),
        conclude: (entry, to) =>
          first(sql`
            UPDATE alarms SET ${sql.csv(found(to))}
            WHERE ${own(entry)} AND revision = ${entry.revision} RETURNING *`),
        release: (entry, published, pause) =>
          run(sql`
              UPDATE alarms SET untold = untold AND NOT ${published},
                ${released(sql`CASE WHEN revision = ${entry.revision} THEN ${after(pause)} ELSE ${now} END`)}
              WHERE ${own(entry)}`),
        counts: counts.rows(
          sql`SELECT project_id, state, count(*)::int AS count FROM alarms GROUP BY project_id, state`
        )
      })
    })
  )
}
