import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Where in a topic's order a stretch of time lies. */
export interface EventWindow {
  /** The largest sequence of the topic that can be read; 0 without one. */
  readonly newest: number
  /** That of the last event from before `from`; 0 without one. */
  readonly above: number
  /** That of the first event at or after `to`; undefined without one. */
  readonly below: number | undefined
}

/**
 * Finds stretches of time in the event log, which is in the order of arrival.
 * Whoever knows how late an event may arrive at most reads nothing outside of
 * them, however long the log is.
 */
export class EventWindows extends Context.Service<
  EventWindows,
  {
    /** Three lookups along indexes, of one moment. */
    of(
      topic: string,
      time: { readonly from: DateTime.Utc | undefined; readonly to: DateTime.Utc | undefined }
    ): Effect.Effect<EventWindow>
  }
>()("portico/store/EventWindows") {
  static readonly layer = Layer.effect(
    EventWindows,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const nothing = sql`NULL::float8`

      return EventWindows.of({
        of: (topic, { from, to }) => {
          const before =
            from === undefined
              ? nothing
              : sql`(SELECT sequence::float8 FROM events WHERE topic = ${topic} AND at < ${DateTime.toDateUtc(from)}
                     ORDER BY at DESC LIMIT 1)`
          const behind =
            to === undefined
              ? nothing
              : sql`(SELECT sequence::float8 FROM events WHERE topic = ${topic} AND at >= ${DateTime.toDateUtc(to)}
                     ORDER BY at LIMIT 1)`
          return Effect.map(
            Effect.orDie(sql<{ newest: number | null; above: number | null; below: number | null }>`
              SELECT (SELECT max(sequence)::float8 FROM events WHERE topic = ${topic}) AS newest,
                ${before} AS above, ${behind} AS below`),
            ([row]) => ({ newest: row?.newest ?? 0, above: row?.above ?? 0, below: row?.below ?? undefined })
          )
        }
      })
    })
  )
}
