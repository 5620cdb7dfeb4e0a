import type { Event } from "@portico/contract/Events"
import { EventLog, type NewEvent } from "@portico/store/EventLog"
import { Context, DateTime, Effect, Layer } from "effect"

/**
 * Where events go for others to read. What publishes may be repeated, in whole
 * or in part, with the same ids: it is one event. A bus that cannot be reached
 * is a defect, because to the caller's request it must make no difference.
 */
export class Bus extends Context.Service<
  Bus,
  {
    /** Afterwards all of them are kept, in this order; on failure any beginning of them may be. */
    publish(events: ReadonlyArray<Event>): Effect.Effect<void>
  }
>()("portico/domain/events/Bus") {
  /** In the database, where a reader finds them by topic in one order over all replicas. */
  static readonly layer = Layer.effect(
    Bus,
    Effect.map(EventLog, (log) => Bus.of({ publish: (events) => Effect.suspend(() => log.append(events.map(rowOf))) }))
  )
}

/**
 * Keeps events in the log as part of the transaction that this runs in, so
 * that a change and what is told of it are one fact. Append last: until the
 * transaction is over, nobody else can.
 */
export const keep = Effect.fnUntraced(function* (events: ReadonlyArray<Event>) {
  yield* (yield* EventLog).append(events.map(rowOf))
})

/** The envelope is JSON as it is. */
const rowOf = (event: Event): NewEvent => ({
  id: event.id,
  topic: event.topic,
  key: event.key,
  at: DateTime.makeUnsafe(event.at),
  envelope: event
})
