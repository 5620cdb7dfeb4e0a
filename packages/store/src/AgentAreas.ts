import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { moment, momentsOf, rowsOf, run } from "./rows.ts"

export const AgentAreasRow = Schema.Struct({
  user_id: Schema.String,
  areas: Schema.Array(Schema.String),
  changed_at: moment
})
export type AgentAreasRow = typeof AgentAreasRow.Type

/** A choice is forgotten so long after its last change: longer than a credential of an agent lives. */
export const areasKept = Duration.days(30)

/** The areas whose tools agents have switched on, by the user that the agent acts as. */
export class AgentAreas extends Context.Service<
  AgentAreas,
  {
    /** Empty for a user who has chosen none. */
    of(userId: string): Effect.Effect<ReadonlyArray<string>>
    /** Replaces the user's choice, and removes choices older than {@link areasKept}. */
    put(userId: string, areas: ReadonlyArray<string>): Effect.Effect<void>
  }
>()("portico/store/AgentAreas") {
  static readonly layer = Layer.effect(
    AgentAreas,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { first } = rowsOf(AgentAreasRow)
      const { ago, now } = momentsOf(sql)

      return AgentAreas.of({
        of: (userId) =>
          Effect.map(
            first(sql`SELECT * FROM agent_areas WHERE user_id = ${userId} AND changed_at > ${ago(areasKept)}`),
            (_) => _?.areas ?? []
          ),
        put: Effect.fnUntraced(function* (userId, areas) {
          yield* run(sql`DELETE FROM agent_areas WHERE changed_at <= ${ago(areasKept)}`)
          yield* run(sql`
            INSERT INTO agent_areas (user_id, areas, changed_at) VALUES (${userId}, ${json(areas)}, ${now})
            ON CONFLICT (user_id) DO UPDATE SET areas = EXCLUDED.areas, changed_at = EXCLUDED.changed_at`)
        })
      })
    })
  )
}
