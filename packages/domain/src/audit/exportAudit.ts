import type { Caller } from "@portico/contract/Access"
import {
  type AuditEnd,
  type AuditFilters,
  type AuditLine,
  auditCursorOf,
  auditSequenceOf
} from "@portico/contract/Audit"
import { auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { Cause, Clock, Duration, Effect, Exit, Option, Stream } from "effect"
import type { Plane } from "../health/readiness.ts"
import { Stopping } from "../health/Stopping.ts"
import { entryOf, eventOf } from "./entry.ts"
import { Exports } from "./Exports.ts"
import { fits, wantedOf } from "./filters.ts"
import { projectOf, settled } from "./readAudit.ts"
import { isWithin } from "./scan.ts"
import { spanOf } from "./span.ts"

/** Rows that are read together: few enough to keep no other request waiting while they are written. */
const together = 100

/** How long an export goes on. What is left is the next one's. */
const longest = Duration.minutes(5)

type Line = AuditLine | AuditEnd

/** How far an export is: the last sequence that was looked at, and how many records there were. */
interface Progress {
  readonly at: number
  readonly count: number
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

  const chunk = Effect.fnUntraced(function* (progress: Progress) {
    const now = yield* Clock.currentTimeMillis
    const isOver = now - began >= Duration.toMillis(longest) || stopping.hasBegun() || hasEnded()
    if (isOver) return [[end(false, progress)], Option.none<Progress>()] as const
    const rows = yield* exports.read(
      log.read({ topics: [auditTopic], projectId, order: "asc", after: progress.at, limit: together })
    )
    const inside = rows.filter((_) => isWithin(span, _.sequence))
    const lines = inside.flatMap((row): ReadonlyArray<Line> => {
      const event = eventOf(row)
      return fits(wanted, entryOf(row.sequence, event)) ? [{ ...event, cursor: auditCursorOf(row.sequence) }] : []
    })
    const further = {
      at: inside.at(-1)?.sequence ?? progress.at,
      count: progress.count + lines.length
    }
    return inside.length < together
      ? ([[...lines, end(true, further)], Option.none<Progress>()] as const)
      : ([lines, Option.some(further)] as const)
  })
  return Stream.paginate<Progress, Line>({ at: span.start, count: 0 }, chunk).pipe(
    // The client sees only that it breaks off.
    Stream.onExit((exit) =>
      Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
        ? Effect.logError("an export of the audit broke off", exit.cause)
        : Effect.void
    )
  )
})
