import type { EventFilters } from "@portico/contract/EventRoutes"
import { Event } from "@portico/contract/Events"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { DateTime, Effect, Option, Schema } from "effect"

/** The most events examined for one page, however few of them match. */
export const maxExamined = 5_000

/** The events read at once under a filter. */
const filteredPageSize = 1_000

/** The filters of a read. */
export interface Wanted {
  /** The events of this project alone; undefined for all events, including those without a project. */
  readonly projectId: string | undefined
  readonly topics: ReadonlyArray<string>
  readonly kinds: ReadonlySet<string> | undefined
  /** Milliseconds since the epoch: `since` is inclusive, `until` exclusive. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export const kindsOf = ({ kind }: EventFilters): ReadonlySet<string> | undefined =>
  kind === undefined ? undefined : new Set(kind)

/** An event with its position in the log. */
export interface Placed {
  readonly sequence: number
  readonly event: Event
}

export interface Found {
  readonly events: ReadonlyArray<Placed>
  /** The last sequence examined, matching or not; undefined when there was none. */
  readonly last: number | undefined
  /** Whether more events follow. */
  readonly more: boolean
}

/**
 * A page of matching events after a position in the log. It reads along an index and examines at
 * most {@link maxExamined} events, so a page may have fewer events than the limit, or none,
 * although more follow.
 */
export const findEvents = Effect.fnUntraced(function* (
  wanted: Wanted,
  order: "asc" | "desc",
  after: number | undefined,
  limit: number
) {
  const log = yield* EventLog
  const { projectId, topics } = wanted
  const events: Array<Placed> = []
  const chunk = isSelective(wanted) ? filteredPageSize : limit
  let at = after
  let examined = 0
  for (;;) {
    // One more than may be examined, to learn whether more events follow.
    const size = Math.min(chunk, maxExamined - examined) + 1
    const rows = yield* log.read({ topics, projectId, order, after: at, limit: size })
    for (const row of rows) {
      if (events.length === limit || examined === maxExamined) return foundOf(events, at, examined, true)
      examined += 1
      at = row.sequence
      const event = fits(wanted, row) ? yield* eventIn(row) : undefined
      if (event !== undefined) events.push({ sequence: row.sequence, event })
    }
    if (rows.length < size) return foundOf(events, at, examined, false)
  }
})

const foundOf = (events: ReadonlyArray<Placed>, at: number | undefined, examined: number, more: boolean): Found => ({
  events,
  last: examined === 0 ? undefined : at,
  more
})

const isSelective = ({ kinds, since, until }: Wanted): boolean =>
  kinds !== undefined || since !== undefined || until !== undefined

const fits = ({ kinds, since, until }: Wanted, { at, envelope }: EventRow): boolean => {
  const millis = DateTime.toEpochMillis(at)
  return (
    (kinds === undefined || kinds.has(String(envelope["kind"]))) &&
    (since === undefined || millis >= since) &&
    (until === undefined || millis < until)
  )
}

const decode = Schema.decodeUnknownOption(Event)

/** Skips and logs an invalid row: it must not block the events after it. */
const eventIn = ({ envelope, id }: EventRow) =>
  Option.match(decode(envelope), {
    onSome: (event) => Effect.succeed(event),
    onNone: () =>
      Effect.as(Effect.annotateLogs(Effect.logError("a row of the event log is not a valid event"), { id }), undefined)
  })
