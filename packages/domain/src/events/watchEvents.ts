import type { Caller } from "@portico/contract/Access"
import { type EventFilters, eventCursorOf, eventSequenceOf } from "@portico/contract/EventRoutes"
import { EventLog } from "@portico/store/EventLog"
import { Clock, Duration, Effect, Option, Stream } from "effect"
import type { Plane } from "../health/readiness.ts"
import { Stopping } from "../health/Stopping.ts"
import { kindsOf, findEvents, type Placed } from "./EventFeed.ts"
import { scopeOf } from "./scope.ts"
import { Tail } from "./Tail.ts"
import { Watchers } from "./Watchers.ts"

/** The interval of heartbeats, so no intermediary closes an idle connection, and of checks of the caller's rights. */
export const heartbeat = Duration.seconds(15)

/**
 * Events that arrive within this time after a read are gathered, in milliseconds: each watcher of a
 * busy tenant reads at most ten times a second.
 */
const gatherMillis = 100

/** The most events in memory for one watcher. */
const pageSize = 100

/** The output of a watch: its position, at the beginning; events; or a heartbeat. */
export type Watched =
  | { readonly _tag: "Standing"; readonly cursor: string }
  | { readonly _tag: "Events"; readonly events: ReadonlyArray<Placed> }
  | { readonly _tag: "Silence" }

interface Progress {
  /** The position in the log, and whether more was there at the last read. */
  readonly at: number
  readonly behind: boolean
  /** The time of the last output, in milliseconds since the epoch. */
  readonly sent: number
}

interface WatchQuery extends EventFilters {
  readonly cursor?: string | undefined
  /** The watch ends after this many seconds; with 0, at the end of the log. */
  readonly timeout_seconds?: number
}

const silence: Watched = { _tag: "Silence" }

/**
 * The caller's events as they arrive, after a cursor or from now on. It reads the log when the
 * project has new events, and only as fast as the client reads, so a slow client lags but misses
 * nothing. It ends when the process stops, and when the caller loses the right to read; that is
 * checked before each output of events and every {@link heartbeat}.
 *
 * It holds a slot of {@link Watchers} until the scope ends.
 *
 * Errors: those of `readEvents`; 429 and 503 without a free slot.
 *
 * @param again resolves the caller again; undefined when it has lost the right to read
 */
export const watchEvents = Effect.fn("events.watch")(function* <R>(
  caller: Caller,
  plane: Plane,
  query: WatchQuery,
  again: Effect.Effect<Caller | undefined, never, R>
) {
  const scope = yield* scopeOf(caller, plane, query)
  const { projectId } = scope
  const { catchUp, enter } = yield* Watchers
  yield* enter(projectId)
  const log = yield* EventLog
  const tail = yield* Tail
  const { begun, hasBegun } = yield* Stopping
  const start = (query.cursor === undefined ? undefined : eventSequenceOf(query.cursor)) ?? (yield* log.last)
  const wanted = { ...scope, kinds: kindsOf(query) }

  const began = yield* Clock.currentTimeMillis
  const end = query.timeout_seconds === undefined ? Number.POSITIVE_INFINITY : began + query.timeout_seconds * 1000

  const isStillAllowed = Effect.map(again, (now) => now !== undefined && seesTheSame(caller, now))

  const waitFor = (arrived: Effect.Effect<void>, millis: number) => {
    const first = Math.min(gatherMillis, millis)
    const waits = Effect.andThen(Effect.sleep(first), Effect.timeoutOption(arrived, millis - first))
    return Effect.raceFirst(waits, begun)
  }

  /**
   * The next page. A stream that is behind waits for its turn, and keeps it for a moment when it found nothing: it may
   * have a whole log before it. Undefined when that takes too many milliseconds.
   */
  const pageAfter = ({ at, behind }: Progress, millis: number) => {
    const page = findEvents(wanted, "asc", at, pageSize)
    const paced = Effect.tap(page, (_) =>
      _.more && _.matching.length === 0 ? Effect.sleep(gatherMillis) : Effect.void
    )
    return behind ? Effect.map(Effect.timeoutOption(catchUp(projectId, paced), millis), Option.getOrUndefined) : page
  }

  const next = Effect.fnUntraced(function* (progress: Progress) {
    const { sent } = progress
    let { at, behind } = progress
    for (;;) {
      if (hasBegun()) return undefined
      const arrived = yield* tail.arrival(projectId)
      const silentUntil = sent + Duration.toMillis(heartbeat)
      const page = yield* pageAfter({ at, behind, sent }, silentUntil - (yield* Clock.currentTimeMillis))
      at = page?.last ?? at
      behind = page?.more ?? behind
      const now = yield* Clock.currentTimeMillis
      if (page !== undefined && page.matching.length > 0) {
        const out = { _tag: "Events", events: page.matching } as const
        return (yield* isStillAllowed) ? { out, progress: { at, behind, sent: now } } : undefined
      }
      if (!behind && now >= end) return undefined
      if (now >= silentUntil) {
        return (yield* isStillAllowed) ? { out: silence, progress: { at, behind, sent: now } } : undefined
      }
      if (!behind) yield* waitFor(arrived, Math.min(silentUntil, end) - now)
    }
  })

  const step = (progress: Progress) =>
    Effect.map(next(progress), (_) =>
      _ === undefined
        ? ([[], Option.none<Progress>()] as const)
        : ([[_.out], Option.some<Progress>(_.progress)] as const)
    )
  const standing: Watched = { _tag: "Standing", cursor: eventCursorOf(start) }
  return Stream.concat(
    Stream.succeed(standing),
    Stream.paginate<Progress, Watched, never, EventLog | R>(
      { at: start, behind: query.cursor !== undefined, sent: began },
      step
    )
  )
})

/** Whether the caller may still read the same events. */
const seesTheSame = (before: Caller, now: Caller): boolean =>
  before.userId === now.userId &&
  before.tenant?.projectId === now.tenant?.projectId &&
  before.admin === now.admin &&
  before.billing === now.billing
