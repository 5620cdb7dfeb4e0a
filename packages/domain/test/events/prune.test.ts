import { assert, it } from "@effect/vitest"
import { pruneEvents } from "@portico/domain/events/prune"
import { EventLog } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import { atOnce } from "@portico/store/rows"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"

/** In the order of the log; `day` of the clock, which begins at zero. */
const happened = (...events: ReadonlyArray<readonly [id: string, topic: string, day: number]>) =>
  Effect.flatMap(EventLog, (log) =>
    log.append(
      events.map(([id, topic, day]) => ({
        id,
        topic,
        key: "cred-1",
        at: DateTime.makeUnsafe(day * 86_400_000),
        envelope: {}
      }))
    )
  )

const left = Effect.flatMap(EventLog, (log) => Effect.map(log.since(0, 100), (_) => _.map(({ id }) => id)))

/** Something that sends on has come so far, and tries to go on. */
const reached = Effect.fnUntraced(function* (name: string, position: number) {
  const relays = yield* Relays
  const held: RelayRow | undefined = yield* relays.claim(name)
  if (held === undefined) return yield* Effect.die("somebody else has it")
  const further = yield* relays.advance(held, position)
  return yield* relays.release(further ?? held)
})

it.effect("events of every topic are kept for 30 days", () =>
  Effect.gen(function* () {
    yield* happened(["a", "api.audit", 1], ["b", "api.audit", 2], ["c", "billing.lifecycle", 1], ["d", "new.topic", 1])
    yield* TestClock.adjust("31 days")
    yield* pruneEvents
    assert.deepStrictEqual(yield* left, ["a", "b", "c", "d"])
    yield* TestClock.adjust("1 second")
    yield* pruneEvents
    assert.deepStrictEqual(yield* left, ["b"])
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("any number of expired events are deleted at once", () =>
  Effect.gen(function* () {
    yield* happened(...Array.from({ length: atOnce + 1 }, (_, n) => [`a${n}`, "api.audit", 1] as const))
    yield* TestClock.adjust("40 days")
    yield* pruneEvents
    assert.deepStrictEqual(yield* left, [])
  }).pipe(Effect.provide(MemoryStore.layer))
)

const old = happened(
  ["a", "billing.lifecycle", 0],
  ["b", "billing.lifecycle", 0],
  ["c", "api.audit", 0],
  ["d", "alarms", 0],
  ["e", "agent.actions", 0]
)

it.effect.each([
  { relay: "billing.lifecycle", position: 1, kept: ["b"] },
  { relay: "billing.lifecycle", position: 2, kept: [] },
  { relay: "kafka/billing.lifecycle", position: 0, kept: ["a", "b"] },
  { relay: "kafka/api.audit", position: 2, kept: ["c"] },
  { relay: "kafka/alarms", position: 2, kept: ["d"] },
  { relay: "kafka/agent.actions", position: 2, kept: ["e"] },
  // One that carries what tenants hear of.
  { relay: "deliveries", position: 1, kept: ["b", "d", "e"] }
])("$kept stay for the relay $relay at $position", ({ kept, position, relay }) =>
  Effect.gen(function* () {
    yield* old
    yield* TestClock.adjust("40 days")
    yield* reached(relay, position)
    yield* pruneEvents
    assert.deepStrictEqual(yield* left, kept)
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("of several relays the slowest one counts, until it was off for a week", () =>
  Effect.gen(function* () {
    yield* old
    yield* TestClock.adjust("40 days")
    yield* reached("kafka/billing.lifecycle", 0)
    yield* reached("billing.lifecycle", 2)
    yield* pruneEvents
    assert.deepStrictEqual(yield* left, ["a", "b"])
    yield* TestClock.adjust("6 days")
    yield* pruneEvents
    assert.deepStrictEqual(yield* left, ["a", "b"])
    yield* TestClock.adjust("2 days")
    yield* pruneEvents
    assert.deepStrictEqual(yield* left, [])
  }).pipe(Effect.provide(MemoryStore.layer))
)
