import { auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { EventWindows } from "@portico/store/EventWindows"
import { DateTime, Duration, Effect } from "effect"
import { entryIn } from "./entry.ts"
import type { Wanted } from "./filters.ts"
import type { Read, Span } from "./scan.ts"

/**
 * How long after its call was over a record comes into the log at most, where
 * a stretch of time is asked for: longer only when the database was away for
 * longer. It never comes before, so that what lies outside of the stretch by
 * more than this can be passed over.
 */
const lateness = Duration.hours(1)

/**
 * The part of the log in which the wanted records are, as it is now: what comes
 * later is behind it. It costs the same however long the log is.
 *
 * @param after behind this sequence, in that order; undefined for its beginning
 */
export const spanOf = Effect.fnUntraced(function* (
  order: Span["order"],
  projectId: string | undefined,
  wanted: Wanted,
  after: number | undefined
) {
  const { above, below, newest } = yield* (yield* EventWindows).of(auditTopic, {
    from: moved(wanted.since, -Duration.toMillis(lateness)),
    to: moved(wanted.until, Duration.toMillis(lateness))
  })
  const end = Math.min(below ?? newest + 1, newest + 1)
  const span: Span =
    order === "asc"
      ? { order, projectId, start: Math.max(after ?? 0, above), stop: end }
      : { order, projectId, start: Math.min(after ?? end, end), stop: above }
  return { span, newest }
})

const moved = (at: number | undefined, by: number): DateTime.Utc | undefined =>
  at === undefined ? undefined : DateTime.makeUnsafe(at + by)

/** From the log. */
export const durable: Effect.Effect<Read, never, EventLog> = Effect.map(
  EventLog,
  (log) =>
    ({ order, projectId }, after, size) =>
      Effect.map(log.read({ topics: [auditTopic], projectId, order, after, limit: size }), (_) => _.map(entryIn))
)
