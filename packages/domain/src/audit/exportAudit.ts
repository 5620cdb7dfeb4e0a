import type { Caller } from "@portico/contract/Access"
import {
  type AuditEnd,
  type AuditFilters,
  type AuditLine,
  auditCursorOf,
  auditSequenceOf
} from "@portico/contract/Audit"
import { auditTopic } from "@portico/contract/Events"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { Cause, Clock, Duration, Effect, Exit, Option, Stream } from "effect"
import type { Plane } from "../health/readiness.ts"
import { Stopping } from "../health/Stopping.ts"
import { entryOf, eventOf } from "./entry.ts"
import { Exports } from "./Exports.ts"
import { fits, wantedOf } from "./filters.ts"
import { settled } from "../events/Publisher.ts"
import { projectOf } from "../events/scope.ts"
import { isWithin } from "./scan.ts"
import { spanOf } from "./span.ts"

/** Rows that are read together. */
const together = 100

/** Rows that are decoded and written together: few enough to keep no other request waiting. */
const atOnce = 10

/** How long an export goes on. What is left is the next one's. */
const longest = Duration.minutes(5)

type Line = AuditLine | AuditEnd

/** How far an export is: the last sequence that was looked at, and how many records there were. */
interface Progress {
  readonly at: number
  readonly count: number
  /** Rows that were read and not looked at yet; undefined when more have to be read. */
  readonly rest: ReadonlyArray<EventRow> | undefined
  /** Whether the log has no further ones. */
  readonly isLast: boolean
}

/**
 * All records that fit, the oldest first: a line each, and one that says that
 * this is the end and where the next export goes on. The window ends with what
 * is in the log when it begins, so that it has an end. A stream that breaks
 * off has no such line, and is none that was complete. It is ended early after
 * five minutes, when the process stops, and when the caller may not read it any
 * longer.
 *
 * Takes a place among {@link Exports} until the scope ends.
 *
 * Errors: those of {@link projectOf}; 429 without a place.
 *
 * @param hasEnded whether the caller may not read any longer
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
      exports.read(log.read({ topics: [auditTopic], projectId, order: "asc", after: at, limit: together })),
      (rows) => {
        const rest = rows.filter((_) => isWithin(span, _.sequence))
        return { rest, isLast: rest.length < together }
      }
    )

  const chunk = Effect.fnUntraced(function* (progress: Progress) {
    const now = yield* Clock.currentTimeMillis
    const isOver = now - began >= Duration.toMillis(longest) || stopping.hasBegun() || hasEnded()
    if (isOver) return [[end(false, progress)], Option.none<Progress>()] as const
    const { isLast, rest } =
      progress.rest === undefined ? yield* read(progress.at) : { ...progress, rest: progress.rest }
    // Whatever else the process has to do comes in between.
    yield* Effect.yieldNow
    const looked = rest.slice(0, atOnce)
    const lines = looked.flatMap((row): ReadonlyArray<Line> => {
      const event = eventOf(row)
      return fits(wanted, entryOf(row.sequence, event)) ? [{ ...event, cursor: auditCursorOf(row.sequence) }] : []
    })
    const left = rest.slice(atOnce)
    const further = {
      at: looked.at(-1)?.sequence ?? progress.at,
      count: progress.count + lines.length,
      rest: left.length === 0 ? undefined : left,
      isLast
    }
    return isLast && left.length === 0
      ? ([[...lines, end(true, further)], Option.none<Progress>()] as const)
      : ([lines, Option.some(further)] as const)
  })
  return Stream.paginate<Progress, Line>({ at: span.start, count: 0, rest: undefined, isLast: false }, chunk).pipe(
    // The client sees only that it breaks off.
    Stream.onExit((exit) =>
      Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
        ? Effect.logError("an export of the audit broke off", exit.cause)
        : Effect.void
    )
  )
})
