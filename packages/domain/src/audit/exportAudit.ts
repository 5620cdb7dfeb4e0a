import type { Caller } from "@portico/contract/Access"
import {
  type AgentActionLine,
  auditCursorOf,
  type AuditEnd,
  type AuditFilters,
  type AuditLine,
  auditSequenceOf
} from "@portico/contract/Audit"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { Cause, Clock, Duration, Effect, Exit, Option, Stream } from "effect"
import type { Plane } from "../health/readiness.ts"
import { Stopping } from "../health/Stopping.ts"
import { auditTopics, eventOf, recordOf } from "./entry.ts"
import { Exports } from "./Exports.ts"
import { fits, isWithin, spanOf, wantedOf } from "./scan.ts"
import { settled } from "../events/Publisher.ts"
import { projectOf } from "../events/scope.ts"

/** The rows read at once. */
const pageSize = 100

/** The rows decoded and written at once: few enough not to delay other requests. */
const chunkSize = 10

/** The longest duration of an export; the next export continues from its cursor. */
const longest = Duration.minutes(5)

type Line = AuditLine | AgentActionLine | AuditEnd

/** The progress of an export: the last sequence examined, and the number of records written. */
interface Progress {
  readonly at: number
  readonly count: number
  /** Rows read but not yet examined; undefined when more must be read. */
  readonly rest: ReadonlyArray<EventRow> | undefined
  /** Whether the log has no more rows. */
  readonly isLast: boolean
}

/**
 * Exports all matching records, oldest first: one line for each record, and a last line that marks
 * the end and carries the cursor for the next export. The window ends at the log's newest record
 * when the export begins, so the export is finite. A stream without the last line is incomplete.
 * The export ends early after five minutes, when the process stops, and when the caller loses the
 * right to read.
 *
 * It holds a slot of {@link Exports} until the scope ends.
 *
 * Errors: those of {@link projectOf}; 429 without a free slot.
 *
 * @param hasEnded whether the caller has lost the right to read
 */
export const exportAudit = Effect.fn("audit.export")(function* (
  caller: Caller,
  plane: Plane,
  query: AuditFilters & { readonly cursor?: string },
  hasEnded: () => boolean
) {
  const { cursor, ...filters } = query
  const projectId = yield* projectOf(caller, plane, filters.project_id)
  const exports = yield* Exports
  yield* exports.enter(projectId)
  yield* settled
  const wanted = wantedOf(filters)
  const { span } = yield* spanOf("asc", projectId, wanted, cursor === undefined ? undefined : auditSequenceOf(cursor))
  const log = yield* EventLog
  const stopping = yield* Stopping
  const began = yield* Clock.currentTimeMillis

  const end = (complete: boolean, { at, count }: Progress): Line => ({
    end: true,
    complete,
    count,
    cursor: auditCursorOf(complete ? Math.max(at, span.stop - 1) : at)
  })

  const read = (at: number) =>
    Effect.map(
      exports.read(log.read({ topics: auditTopics, projectId, order: "asc", after: at, limit: pageSize })),
      (rows) => {
        const rest = rows.filter((_) => isWithin(span, _.sequence))
        return { rest, isLast: rest.length < pageSize }
      }
    )

  const chunk = Effect.fnUntraced(function* (progress: Progress) {
    const now = yield* Clock.currentTimeMillis
    const isOver = now - began >= Duration.toMillis(longest) || stopping.hasBegun() || hasEnded()
    if (isOver) return [[end(false, progress)], Option.none<Progress>()] as const
    const { isLast, rest } =
      progress.rest === undefined ? yield* read(progress.at) : { ...progress, rest: progress.rest }
    // Lets the process serve other requests in between.
    yield* Effect.yieldNow
    const examined = rest.slice(0, chunkSize)
    const lines = examined.flatMap((row): ReadonlyArray<Line> => {
      const event = eventOf(row)
      return event !== undefined && fits(wanted, Date.parse(event.at), recordOf(event))
        ? [{ ...event, cursor: auditCursorOf(row.sequence) }]
        : []
    })
    const left = rest.slice(chunkSize)
    const further = {
      at: examined.at(-1)?.sequence ?? progress.at,
      count: progress.count + lines.length,
      rest: left.length === 0 ? undefined : left,
      isLast
    }
    return isLast && left.length === 0
      ? ([[...lines, end(true, further)], Option.none<Progress>()] as const)
      : ([lines, Option.some(further)] as const)
  })
  return Stream.paginate<Progress, Line>({ at: span.start, count: 0, rest: undefined, isLast: false }, chunk).pipe(
    // The client only sees the stream break off, so the cause is logged.
    Stream.onExit((exit) =>
      Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
        ? Effect.logError("an audit export broke off", exit.cause)
        : Effect.void
    )
  )
})
