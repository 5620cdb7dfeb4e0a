import type { EventRow } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import { Duration, Effect } from "effect"

/** The most events of one batch. */
export const batchSize = 200

/** The longest time that the release of a lease may delay the shutdown. */
const releaseTime = Duration.seconds(1)

/** A reader of the event log whose position the database stores. */
export interface Relay<E extends { readonly summary: string }, R1, R2> {
  /** Names the stored position. */
  readonly name: string
  /** Reads at most so many events after a position, in the log's order. */
  readonly read: (after: number, limit: number) => Effect.Effect<ReadonlyArray<EventRow>, never, R1>
  /**
   * Hands a batch on, and then stores the position with `advance`. Both may be one transaction. A failure pauses the
   * relay on all replicas, for up to a minute.
   */
  readonly handOn: (
    events: ReadonlyArray<EventRow>,
    advance: Effect.Effect<RelayRow | undefined>
  ) => Effect.Effect<RelayRow | undefined, E, R2>
  /** Logged at a failure. */
  readonly stopped: string
}

/**
 * Hands on the log's events in the log's order, until none is left. One replica does it at a time, under a lease. A
 * batch whose outcome is unknown is handed on again, before any later event. Nothing is skipped, and nothing is removed
 * from the log.
 *
 * @returns whether this process handed on the last event
 */
export const relayEvents = Effect.fnUntraced(function* <E extends { readonly summary: string }, R1, R2>({
  handOn,
  name,
  read,
  stopped
}: Relay<E, R1, R2>) {
  const relays = yield* Relays
  // Most runs find no new event. This read spares them the write of a claim.
  if ((yield* read(yield* relays.position(name), 1)).length === 0) return false

  let held: RelayRow | undefined = yield* relays.claim(name)
  while (held !== undefined) {
    const mine: RelayRow = held
    const events = yield* read(mine.position, batchSize)
    const last = events.at(-1)
    if (last === undefined) {
      yield* relays.release(mine)
      return true
    }
    held = yield* handOn(events, relays.advance(mine, last.sequence)).pipe(
      Effect.catch(({ summary }) =>
        Effect.logWarning(stopped).pipe(
          Effect.annotateLogs({ relay: name, why: summary, attempts: mine.failures + 1, position: mine.position }),
          Effect.andThen(relays.rest(mine)),
          Effect.as(undefined)
        )
      ),
      Effect.onError(() => Effect.timeoutOption(relays.release(mine), releaseTime))
    )
  }
  return false
})
