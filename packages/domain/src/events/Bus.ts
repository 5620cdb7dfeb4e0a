import type { Event } from "@portico/contract/Events"
import { EventLog, type NewEvent } from "@portico/store/EventLog"
import { Context, DateTime, Effect, Layer } from "effect"

/**
 * The bus that events are published to. A publisher may repeat events, all or some, with the same
 * ids: each counts once. An unreachable bus is a defect, because it must not affect the caller's
 * request.
 */
export class Bus extends Context.Service<
  Bus,
  {
    /** On success all events are stored, in this order; on failure any prefix of them may be. */
    publish(events: ReadonlyArray<Event>): Effect.Effect<void>
  }
>()("portico/domain/events/Bus") {
  /** Stores events in the database, where readers find them by topic in one order across all replicas. */
  static readonly layer = Layer.effect(
    Bus,
    Effect.map(EventLog, (log) => Bus.of({ publish: (events) => Effect.suspend(() => log.append(events.map(rowOf))) }))
  )
}

/**
 * Appends events to the log within the surrounding transaction, so a change and its events commit
 * together. Append last: until the transaction ends, no other transaction can append.
 */
export const keep = Effect.fnUntraced(function* (events: ReadonlyArray<Event>) {
  yield* (yield* EventLog).append(events.map(rowOf))
})

/** An event as the log has it: the envelope is the event itself. */
export const rowOf = (event: Event): NewEvent => ({
  id: event.id,
  topic: event.topic,
  key: event.key,
  at: DateTime.makeUnsafe(event.at),
  envelope: event
})
