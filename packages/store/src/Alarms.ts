import { PgClient } from "@effect/sql-pg"
import { Context, type Duration, Effect, Layer } from "effect"
import { AlarmCount, AlarmEntry, type AlarmFinding, alarmLease, type AlarmWish, type NewAlarm } from "./alarmRows.ts"
import { alarmsInMemory } from "./alarmsInMemory.ts"
import { leasedOf } from "./leased.ts"
import { Memory } from "./Memory.ts"
import { changesOf, momentsOf, rowsOf, run } from "./rows.ts"

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
      const sql = yield* PgClient.PgClient
      const { byId, first, one, rows } = rowsOf(AlarmEntry)
      const counts = rowsOf(AlarmCount)
      const { after, now } = momentsOf(sql)
      const changes = changesOf(sql)
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
                ...changes(to),
                sql`revision = revision + 1, unknown_since = NULL, due_at = LEAST(due_at, ${now})`
              ])}
              WHERE alarm_id = ${alarmId} AND project_id = ${projectId} RETURNING *`
          ),
        remove: (projectId, alarmId) =>
          byId(alarmId, sql`DELETE FROM alarms WHERE alarm_id = ${alarmId} AND project_id = ${projectId} RETURNING *`),
        claim: (limit) => rows(sql`${claim({ if: sql`enabled`, limit })} RETURNING *`),
        conclude: (entry, finding) =>
          first(sql`
            UPDATE alarms SET ${sql.csv(changes(finding))}
            WHERE ${own(entry)} AND revision = ${entry.revision} RETURNING *`),
        release: (entry, told, pause) =>
          run(sql`
              UPDATE alarms SET untold = untold AND NOT ${told},
                ${released(sql`CASE WHEN revision = ${entry.revision} THEN ${after(pause)} ELSE ${now} END`)}
              WHERE ${own(entry)}`),
        counts: counts.rows(
          sql`SELECT project_id, state, count(*)::int AS count FROM alarms GROUP BY project_id, state`
        )
      })
    })
  )

  static readonly layerMemory = Layer.effect(Alarms, Effect.map(Memory, alarmsInMemory))
}
