import { NoticeKind, Severity, StatusService } from "@portico/contract/Status"
import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { moment, momentsOf, rowsOf } from "./rows.ts"

export const IncidentEntry = Schema.Struct({
  incident_id: Schema.String,
  kind: NoticeKind,
  title: Schema.String,
  services: Schema.Array(StatusService),
  severity: Severity,
  message: Schema.String,
  starts_at: moment,
  ends_at: Schema.NullOr(moment),
  created_by: Schema.String,
  created_at: moment
})
export type IncidentEntry = typeof IncidentEntry.Type

/** The most notices that a list returns. */
export const maxNotices = 100

/** Incidents and maintenance, written by operators. */
export class Incidents extends Context.Service<
  Incidents,
  {
    insert(incident: Omit<IncidentEntry, "created_at">): Effect.Effect<IncidentEntry>
    /** The notices that have not ended at that moment, newest first, at most {@link maxNotices}. */
    list(now: DateTime.Utc): Effect.Effect<ReadonlyArray<IncidentEntry>>
    /** Returns the removed notice; undefined when there was none. */
    remove(incidentId: string): Effect.Effect<IncidentEntry | undefined>
  }
>()("portico/store/Incidents") {
  static readonly layer = Layer.effect(
    Incidents,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { byId, one, rows } = rowsOf(IncidentEntry)
      const { now } = momentsOf(sql)
      const at = (moment: DateTime.Utc | null) => (moment === null ? sql`NULL` : sql`${DateTime.toDateUtc(moment)}`)

      return Incidents.of({
        insert: (_) =>
          one(sql`
            INSERT INTO incidents
              (incident_id, kind, title, services, severity, message, starts_at, ends_at, created_by, created_at)
            VALUES (${_.incident_id}, ${_.kind}, ${_.title}, ${json(_.services)}, ${_.severity}, ${_.message},
              ${at(_.starts_at)}, ${at(_.ends_at)}, ${_.created_by}, ${now})
            RETURNING *`),
        list: (moment) =>
          rows(sql`
            SELECT * FROM incidents WHERE ends_at IS NULL OR ends_at > ${at(moment)}
            ORDER BY starts_at DESC, incident_id LIMIT ${maxNotices}`),
        remove: (incidentId) =>
          byId(incidentId, sql`DELETE FROM incidents WHERE incident_id = ${incidentId} RETURNING *`)
      })
    })
  )
}
