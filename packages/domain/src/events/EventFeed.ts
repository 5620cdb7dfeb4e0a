import type { EventFilters } from "@portico/contract/EventRoutes"
import { Event } from "@portico/contract/Events"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { DateTime, Effect, Option, Schema } from "effect"

/** So many events are looked at for a page at most, however few of them are wanted. */
export const mostLookedAt = 5_000

/** So many are read together where not all of them are wanted. */
const together = 1_000

/** Whose events, and which of them. */
export interface Wanted {
  /** Of this project alone; undefined for everybody's, and what is nobody's. */
  readonly projectId: string | undefined
  readonly topics: ReadonlyArray<string>
  readonly kinds: ReadonlySet<string> | undefined
  /** Milliseconds since the epoch: at or after, and before. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export const kindsOf = ({ kind }: EventFilters): ReadonlySet<string> | undefined =>
  kind === undefined ? undefined : new Set(kind)

/** An event, and its place in the log. */
export interface Placed {
  readonly sequence: number
  readonly event: Event
}

export interface Found {
  readonly events: ReadonlyArray<Placed>
  /** The last sequence that was looked at, whether or not it was wanted; undefined when there was none. */
  readonly last: number | undefined
  /** Whether there is more behind it. */
  readonly more: boolean
}

/**
 * A page of what is wanted behind a place in the log. It reads along an index,
 * and looks at {@link mostLookedAt} events at most: a page may have fewer than
 * were asked for, or none, and more behind it all the same.
 */
export const lookFor = Effect.fnUntraced(function* (
  wanted: Wanted,
  order: "asc" | "desc",
  after: number | undefined,
  limit: number
) {
  const log = yield* EventLog
  const { projectId, topics } = wanted
  const events: Array<Placed> = []
  const chunk = isSelective(wanted) ? together : limit
  let at = after
  let looked = 0
  for (;;) {
    // One more than may be looked at, because only then is it known whether there is more.
    const size = Math.min(chunk, mostLookedAt - looked) + 1
    const rows = yield* log.read({ topics, projectId, order, after: at, limit: size })
    for (const row of rows) {
      if (events.length === limit || looked === mostLookedAt) return foundOf(events, at, looked, true)
      looked += 1
      at = row.sequence
      const event = fits(wanted, row) ? yield* eventIn(row) : undefined
      if (event !== undefined) events.push({ sequence: row.sequence, event })
    }
    if (rows.length < size) return foundOf(events, at, looked, false)
  }
})

const foundOf = (events: ReadonlyArray<Placed>, at: number | undefined, looked: number, more: boolean): Found => ({
  events,
  last: looked === 0 ? undefined : at,
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

/** What is no event is passed over and logged: it must not keep back what is behind it. */
const eventIn = ({ envelope, id }: EventRow) =>
  Option.match(decode(envelope), {
    onSome: (event) => Effect.succeed(event),
    onNone: () =>
      Effect.as(Effect.annotateLogs(Effect.logError("a row of the event log is no event"), { id }), undefined)
  })
