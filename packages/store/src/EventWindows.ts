import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** The position of a time range in a topic's sequence. */
export interface EventWindow {
  /** The largest readable sequence of the topic; 0 without an event. */
  readonly newest: number
  /** The sequence of the last event before `from`; 0 without one. */
  readonly above: number
  /** The sequence of the first event at or after `to`; undefined without one. */
  readonly below: number | undefined
}

/**
 * Maps time ranges to sequences of the event log, which is in the order of
 * arrival. A caller that knows how late an event may arrive reads nothing
 * outside the window, however long the log is.
 */
export class EventWindows extends Context.Service<
  EventWindows,
  {
    /** Three index lookups in one statement. */
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
