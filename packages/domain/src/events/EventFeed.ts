import type { EventFilters } from "@portico/contract/EventRoutes"
import { Event } from "@portico/contract/Events"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { DateTime, Effect, Option, Schema } from "effect"
import { filteredChunk, findInLog } from "./findInLog.ts"

/** The filters of a read. */
export interface FeedFilters {
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

/** A page of matching events after a position in the log, see {@link findInLog}. It reads along an index. */
export const findEvents = Effect.fnUntraced(function* (
  wanted: FeedFilters,
  order: "asc" | "desc",
  after: number | undefined,
  limit: number
) {
  const log = yield* EventLog
  const { projectId, topics } = wanted
  return yield* findInLog<EventRow, Placed>({
    after,
    chunk: isSelective(wanted) ? filteredChunk : limit,
    limit,
    read: (after, limit) => log.read({ topics, projectId, order, after, limit }),
    match: (row) => (fits(wanted, row) ? eventIn(row) : Effect.undefined)
  })
})

const isSelective = ({ kinds, since, until }: FeedFilters): boolean =>
  kinds !== undefined || since !== undefined || until !== undefined

const fits = ({ kinds, since, until }: FeedFilters, { at, envelope }: EventRow): boolean => {
  const millis = DateTime.toEpochMillis(at)
  return (
    (kinds === undefined || kinds.has(String(envelope["kind"]))) &&
    (since === undefined || millis >= since) &&
    (until === undefined || millis < until)
  )
}

const decode = Schema.decodeUnknownOption(Event)

/** Skips and logs an invalid row: it must not block the events after it. */
const eventIn = ({ envelope, id, sequence }: EventRow): Effect.Effect<Placed | undefined> =>
  Option.match(decode(envelope), {
    onSome: (event) => Effect.succeed({ sequence, event }),
    onNone: () =>
      Effect.as(Effect.annotateLogs(Effect.logError("a row of the event log is not a valid event"), { id }), undefined)
  })
