import { auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { EventWindows } from "@portico/store/EventWindows"
import { DateTime, Duration, Effect } from "effect"
import { entryIn } from "./entry.ts"
import type { Wanted } from "./filters.ts"
import type { Read, Span } from "./scan.ts"

/**
 * The longest delay between the end of a call and its record's entry into the log, used when the
 * filters name a time range. Only a longer outage of the database exceeds it. A record is never
 * stored before its call ends, so records outside the range by more than this delay can be skipped.
 */
const lateness = Duration.hours(1)

/**
 * The part of the log that holds the wanted records, as of now; later records come after it. Its
 * cost does not depend on the length of the log.
 *
 * @param after exclusive start, in the given order; undefined for the beginning
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

/** Reads from the log. */
export const durable: Effect.Effect<Read, never, EventLog> = Effect.map(
  EventLog,
  (log) =>
    ({ order, projectId }, after, size) =>
      Effect.map(log.read({ topics: [auditTopic], projectId, order, after, limit: size }), (_) => _.map(entryIn))
)
