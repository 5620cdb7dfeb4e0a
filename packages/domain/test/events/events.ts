import { type Event, lifecycleTopic } from "@portico/contract/Events"
import { Bus } from "@portico/domain/events/Bus"
import { Publisher } from "@portico/domain/events/Publisher"
import { Tail } from "@portico/domain/events/Tail"
import { Watchers } from "@portico/domain/events/Watchers"
import { Stopping } from "@portico/domain/health/Stopping"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"

/** What reading and watching events takes of a process. */
export const Events = Layer.mergeAll(Publisher.layer, Tail.layer, Watchers.layer, Stopping.layer).pipe(
  Layer.provideMerge(Bus.layer),
  Layer.provide(
    ConfigProvider.layer(ConfigProvider.fromUnknown({ EVENT_STREAMS_PER_TENANT: "2", EVENT_STREAMS_TOTAL: "3" }))
  )
)

/** That, over a store in memory. */
export const EventsInMemory = Layer.provideMerge(Events, MemoryStore.layer)

/** An event of a project that happens now; its kind is what stories tell them apart by. */
export const event = Effect.fnUntraced(function* (kind: string, change: Partial<Event> = {}) {
  return {
    id: randomUUID(),
    topic: lifecycleTopic,
    kind,
    at: DateTime.formatIso(yield* DateTime.now),
    key: "volume-1",
    project_id: "acme",
    data: {},
    ...change
  } satisfies Event
})

/** Events come into the log, one behind the other. */
export const come = Effect.fnUntraced(function* (kinds: ReadonlyArray<string>, change: Partial<Event> = {}) {
  yield* (yield* Bus).publish(yield* Effect.forEach(kinds, (_) => event(_, change)))
})

export const kindOf = ({ envelope }: EventRow): unknown => envelope["kind"]

/** The log as it is, but for what is given. */
export const logWith = (change: (log: EventLog["Service"]) => Partial<EventLog["Service"]>) =>
  Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => EventLog.of({ ...log, ...change(log) }))
  ).pipe(Layer.provideMerge(MemoryStore.layer))
