import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AlarmCount, AlarmEntry, type AlarmFinding, alarmLease, type AlarmWish, type NewAlarm } from "./alarmRows.ts"
import { alarmsInMemory } from "./alarmsInMemory.ts"
import { Memory } from "./Memory.ts"
import { momentsOf, rowsOf } from "./rows.ts"

export type { AlarmCount, AlarmEntry, AlarmFinding, AlarmWish, NewAlarm } from "./alarmRows.ts"

/**
 * Alarms, one row each. What is wanted of an alarm its tenant changes; what was
 * found, whoever holds the lease alone.
 */
export class Alarms extends Context.Service<
  Alarms,
  {
    /** Due at once. */
    insert(alarm: NewAlarm): Effect.Effect<AlarmEntry>
    find(projectId: string, alarmId: string): Effect.Effect<AlarmEntry | undefined>
    /** All of a tenant, oldest first. */
    list(projectId: string): Effect.Effect<ReadonlyArray<AlarmEntry>>
    /** Makes it due at once. Undefined when there is none. */
    change(projectId: string, alarmId: string, to: AlarmWish): Effect.Effect<AlarmEntry | undefined>
    /** The one that is gone now; undefined when there was none. */
    remove(projectId: string, alarmId: string): Effect.Effect<AlarmEntry | undefined>
    /** Takes those that are enabled and due longest; each goes to one process, over all replicas. */
    claim(limit: number): Effect.Effect<ReadonlyArray<AlarmEntry>>
    /**
     * Writes down what was found, and keeps the lease. Undefined when it has
     * passed to another process, the alarm is gone, or something else is wanted
     * of it by now. In the transaction of the caller, if there is one.
     */
    conclude(entry: AlarmEntry, finding: AlarmFinding): Effect.Effect<AlarmEntry | undefined>
    /** Lets go of it until it is due again, which is at once when something else is wanted by now. */
    release(entry: AlarmEntry, told: boolean, pause: Duration.Duration): Effect.Effect<void>
    /** Of all tenants: how many alarms each has in each state. */
    readonly counts: Effect.Effect<ReadonlyArray<AlarmCount>>
  }
>()("portico/store/Alarms") {
  static readonly layer = Layer.effect(
    Alarms,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { byId, first, one, rows } = rowsOf(AlarmEntry)
      const counts = rowsOf(AlarmCount)
      const { after, now } = momentsOf(sql)
      const at = (moment: DateTime.Utc | null) => (moment === null ? sql`NULL` : sql`${DateTime.toDateUtc(moment)}`)
      const own = (entry: AlarmEntry) => sql`alarm_id = ${entry.alarm_id} AND lease = ${entry.lease}::uuid`

      return Alarms.of({
        insert: (_) =>
          one(sql`
            INSERT INTO alarms (alarm_id, project_id, name, description, severity, enabled, rule, state, reason,
              created_by, created_at, due_at)
            VALUES (${_.alarm_id}, ${_.project_id}, ${_.name}, ${_.description}, ${_.severity}, ${_.enabled},
              ${json(_.rule)}, ${_.state}, ${_.reason}, ${_.created_by}, ${now}, ${now})
            RETURNING *`),
        find: (projectId, alarmId) =>
          byId(alarmId, sql`SELECT * FROM alarms WHERE alarm_id = ${alarmId} AND project_id = ${projectId}`),
        list: (projectId) =>
          rows(sql`SELECT * FROM alarms WHERE project_id = ${projectId} ORDER BY created_at, alarm_id`),
        change: (projectId, alarmId, { description, enabled, name, rule, severity }) =>
          byId(
            alarmId,
            sql`
              UPDATE alarms SET
                name = ${name === undefined ? sql`name` : sql`${name}`},
                description = ${description === undefined ? sql`description` : sql`${description}`},
                severity = ${severity === undefined ? sql`severity` : sql`${severity}`},
                enabled = ${enabled === undefined ? sql`enabled` : sql`${enabled}`},
                rule = ${rule === undefined ? sql`rule` : json(rule)},
                revision = revision + 1, unknown_since = NULL, due_at = LEAST(due_at, ${now})
              WHERE alarm_id = ${alarmId} AND project_id = ${projectId} RETURNING *`
          ),
        remove: (projectId, alarmId) =>
          byId(alarmId, sql`DELETE FROM alarms WHERE alarm_id = ${alarmId} AND project_id = ${projectId} RETURNING *`),
        claim: (limit) =>
          rows(sql`
            UPDATE alarms SET lease = gen_random_uuid(), lease_ends = ${after(alarmLease)}
            WHERE alarm_id IN (
              SELECT alarm_id FROM alarms
              WHERE enabled AND due_at <= ${now} AND (lease IS NULL OR lease_ends <= ${now})
              ORDER BY due_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
            RETURNING *`),
        conclude: (entry, _) =>
          first(sql`
            UPDATE alarms SET state = ${_.state}, reason = ${_.reason}, transitions = ${_.transitions},
              last_transition_at = ${at(_.last_transition_at)}, untold = ${_.untold},
              unknown_since = ${at(_.unknown_since)}, evaluated_at = ${at(_.evaluated_at)}
            WHERE ${own(entry)} AND revision = ${entry.revision} RETURNING *`),
        release: (entry, told, pause) =>
          Effect.asVoid(
            Effect.orDie(sql`
              UPDATE alarms SET untold = untold AND NOT ${told}, lease = NULL, lease_ends = NULL,
                due_at = CASE WHEN revision = ${entry.revision} THEN ${after(pause)} ELSE ${now} END
              WHERE ${own(entry)}`)
          ),
        counts: counts.rows(
          sql`SELECT project_id, state, count(*)::int AS count FROM alarms GROUP BY project_id, state`
        )
      })
    })
  )

  static readonly layerMemory = Layer.effect(Alarms, Effect.map(Memory, alarmsInMemory))
}
