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

/** The position in the log, and the time of the last output in milliseconds since the epoch. */
interface Progress {
  readonly at: number
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
  yield* (yield* Watchers).enter(projectId)
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

  const next = Effect.fnUntraced(function* ({ at, sent }: Progress) {
    let position = at
    for (;;) {
      if (hasBegun()) return undefined
      const arrived = yield* tail.arrival(projectId)
      const { last = position, matching: events, more } = yield* findEvents(wanted, "asc", position, pageSize)
      position = last
      const now = yield* Clock.currentTimeMillis
      if (events.length > 0) {
        return (yield* isStillAllowed)
          ? { out: { _tag: "Events", events } as const, at: position, sent: now }
          : undefined
      }
      if (!more && now >= end) return undefined
      const left = Math.min(sent + Duration.toMillis(heartbeat), end) - now
      if (left <= 0 && now < end) return (yield* isStillAllowed) ? { out: silence, at: position, sent: now } : undefined
      if (!more) yield* waitFor(arrived, left)
    }
  })

  const step = (progress: Progress) =>
    Effect.map(next(progress), (_) =>
      _ === undefined
        ? ([[], Option.none<Progress>()] as const)
        : ([[_.out], Option.some<Progress>({ at: _.at, sent: _.sent })] as const)
    )
  const standing: Watched = { _tag: "Standing", cursor: eventCursorOf(start) }
  return Stream.concat(
    Stream.succeed(standing),
    Stream.paginate<Progress, Watched, never, EventLog | R>({ at: start, sent: began }, step)
  )
})

/** Whether the caller may still read the same events. */
const seesTheSame = (before: Caller, now: Caller): boolean =>
  before.userId === now.userId &&
  before.tenant?.projectId === now.tenant?.projectId &&
  before.admin === now.admin &&
  before.billing === now.billing
