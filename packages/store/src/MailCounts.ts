import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf } from "./rows.ts"

/** How many events went to a tenant by mail, counted from the deliveries. */
export class MailCounts extends Context.Service<
  MailCounts,
  {
    /** Delivered to the tenant's existing e-mail integrations since that moment. */
    delivered(projectId: string, since: DateTime.Utc): Effect.Effect<number>
  }
>()("portico/store/MailCounts") {
  static readonly layer = Layer.effect(
    MailCounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { one } = rowsOf(Schema.Struct({ count: Schema.Int }))
      return MailCounts.of({
        delivered: (projectId, since) =>
          Effect.map(
            one(sql`
              SELECT count(*)::int AS count FROM deliveries JOIN targets USING (target_id)
              WHERE targets.project_id = ${projectId} AND targets.kind = 'email' AND deliveries.state = 'delivered'
                AND deliveries.finished_at > ${DateTime.toDateUtc(since)}`),
            (_) => _.count
          )
      })
    })
  )
}
