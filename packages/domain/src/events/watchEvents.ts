import type { Caller } from "@portico/contract/Access"
import { type EventFilters, eventCursorOf, eventSequenceOf } from "@portico/contract/EventRoutes"
import { EventLog } from "@portico/store/EventLog"
import { Clock, Duration, Effect, Option, Stream } from "effect"
import type { Plane } from "../health/readiness.ts"
import { Stopping } from "../health/Stopping.ts"
import { kindsOf, lookFor, type Placed } from "./EventFeed.ts"
import { scopeOf } from "./scope.ts"
import { Tail } from "./Tail.ts"
import { Watchers } from "./Watchers.ts"

/** So often something is sent, so that nobody on the way takes the connection for dead, and so often the caller is looked at again. */
export const heartbeat = Duration.seconds(15)

/** What comes within so many milliseconds after a reading is gathered: a busy tenant is read ten times a second by each who watches it. */
const gathering = 100

/** As many events are in memory for one who watches. */
const together = 100

/** What comes out of watching: where it stands, at its beginning; events; or nothing for a while. */
export type Watched =
  | { readonly _tag: "Standing"; readonly cursor: string }
  | { readonly _tag: "Events"; readonly events: ReadonlyArray<Placed> }
  | { readonly _tag: "Silence" }

/** How far it is, and when something was sent last, in milliseconds since the epoch. */
interface Progress {
  readonly at: number
  readonly sent: number
}

interface WatchQuery extends EventFilters {
  readonly cursor?: string | undefined
  /** It ends after so many; at the end of what is there with 0. */
  readonly timeout_seconds?: number
}

const silence: Watched = { _tag: "Silence" }

/**
 * The caller's events as they come, behind a cursor or from now on. It reads
 * the log when there is something of the project, and only as fast as the
 * reader takes it: one that is slow is behind, and misses nothing. It ends when
 * the process stops, and when the caller may not read any longer, which is
 * looked at before any events are handed out, and every {@link heartbeat}.
 *
 * Takes a place among {@link Watchers} until the scope ends.
 *
 * Errors: those of `readEvents`; 429 and 503 without a place.
 *
 * @param again the caller as it is by then; undefined when it may not read any longer
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

  const mayGoOn = Effect.map(again, (now) => now !== undefined && seesTheSame(caller, now))

  const waitFor = (arrived: Effect.Effect<void>, millis: number) => {
    const first = Math.min(gathering, millis)
    const waits = Effect.andThen(Effect.sleep(first), Effect.timeoutOption(arrived, millis - first))
    return Effect.raceFirst(waits, begun)
  }

  const next = Effect.fnUntraced(function* ({ at, sent }: Progress) {
    let position = at
    for (;;) {
      if (hasBegun()) return undefined
      const arrived = yield* tail.arrival(projectId)
      const { events, last = position, more } = yield* lookFor(wanted, "asc", position, together)
      position = last
      const now = yield* Clock.currentTimeMillis
      if (events.length > 0) {
        return (yield* mayGoOn) ? { out: { _tag: "Events", events } as const, at: position, sent: now } : undefined
      }
      if (!more && now >= end) return undefined
      const left = Math.min(sent + Duration.toMillis(heartbeat), end) - now
      if (left <= 0 && now < end) return (yield* mayGoOn) ? { out: silence, at: position, sent: now } : undefined
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

/** Whether what a caller is now reads what it read before. */
const seesTheSame = (before: Caller, now: Caller): boolean =>
  before.userId === now.userId &&
  before.tenant?.projectId === now.tenant?.projectId &&
  before.admin === now.admin &&
  before.billing === now.billing
