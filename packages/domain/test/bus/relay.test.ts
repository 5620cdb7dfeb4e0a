import { assert, it } from "@effect/vitest"
import { agentActionKind, agentTopic, alarmTopic, asgTopic, auditTopic, relayedTopics } from "@portico/contract/Events"
import * as BusHealth from "@portico/domain/bus/BusHealth"
import { relayBus } from "@portico/domain/bus/relay"
import { EventLog } from "@portico/store/EventLog"
import { Memory } from "@portico/testing/store/Memory"
import { Relays } from "@portico/store/Relays"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { Clock, DateTime, Effect, Fiber, Layer, type Schema } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Broker, type Trouble } from "./broker.ts"
import { inTime, pass, settle } from "@portico/testing/clock"

const Bus = Layer.merge(Broker.layer, BusHealth.layer).pipe(Layer.provideMerge(MemoryStore.layer))

const story = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Bus>>) =>
  it.effect(title, () => Effect.provide(test(), Bus))

/** That many events of a topic happen now. */
const happen = Effect.fnUntraced(function* (
  topic: string,
  count: number,
  data: Schema.JsonObject = {},
  kind = topic === agentTopic ? agentActionKind : "a.kind"
) {
  const at = DateTime.makeUnsafe(yield* Clock.currentTimeMillis)
  const events = Array.from({ length: count }, (_, n) => {
    const id = randomUUID()
    const envelope = {
      id,
      topic,
      kind,
      at: DateTime.formatIso(at),
      key: `k${n % 7}`,
      project_id: "acme",
      data
    }
    return { id, topic, key: envelope.key, at, envelope }
  })
  yield* (yield* EventLog).append(events)
  return events
})

const inLog = (topic: string) =>
  Effect.map(Memory, ({ events }) => [...events.values()].filter((_) => _.topic === topic).map((_) => _.id))

const arrived = (topic: string) =>
  Effect.map(Broker, ({ topics }) => (topics.get(topic) ?? []).map((_) => _.headers["id"] ?? ""))

/** Everything of a topic is there, each first in its place. */
const allArrived = Effect.fnUntraced(function* (topic: string, because = topic) {
  assert.deepStrictEqual([...new Set(yield* arrived(topic))], yield* inLog(topic), because)
})

const working = Effect.fnUntraced(function* (seconds: number) {
  const rounds = yield* Effect.forkChild(Effect.forever(Effect.andThen(relayBus, Effect.sleep("1 second"))))
  yield* pass(seconds)
  yield* Fiber.interrupt(rounds)
})

const trouble = Effect.fnUntraced(function* (kind: Trouble | undefined, topic = "*") {
  const { troubles } = yield* Broker
  if (kind === undefined) troubles.delete(topic)
  else troubles.set(topic, kind)
})

story("sends every topic once and in order, each event under its key and id, then nothing more", () =>
  Effect.gen(function* () {
    const broker = yield* Broker
    yield* relayBus
    assert.deepStrictEqual(broker.calls, [])

    for (const topic of relayedTopics) yield* happen(topic, 450)
    const [event] = yield* happen(auditTopic, 1, { method: "POST" })
    yield* inTime(relayBus)
    for (const topic of relayedTopics) {
      assert.deepStrictEqual(yield* arrived(topic), yield* inLog(topic), topic)
    }
    const message = broker.topics.get(auditTopic)?.at(-1)
    assert.deepStrictEqual(message?.headers, {
      id: event?.id ?? "",
      kind: "a.kind",
      "content-type": "application/json"
    })
    assert.strictEqual(message?.key, event?.key)
    assert.deepStrictEqual(JSON.parse(message?.value ?? ""), event?.envelope)

    const calls = broker.calls.length
    assert.strictEqual(calls, relayedTopics.length * 3)
    yield* inTime(relayBus)
    assert.lengthOf(broker.calls, calls)
    assert.lengthOf(yield* inLog(auditTopic), 451, "nothing is removed from the log")
  })
)

story("does not send back the agents' reports", () =>
  Effect.gen(function* () {
    const broker = yield* Broker
    yield* happen(agentTopic, 3, {}, "tool.called")
    yield* inTime(relayBus)
    assert.deepStrictEqual(broker.calls, [])
    const [own] = yield* happen(agentTopic, 1)
    assert.isDefined(own)
    yield* happen(agentTopic, 2, {}, "tool.called")
    yield* inTime(relayBus)
    assert.deepStrictEqual(yield* arrived(agentTopic), [own?.id])
    assert.deepStrictEqual((yield* (yield* Relays).backlogs("kafka/", [agentTopic]))[0]?.events, 0)
  })
)

it.effect("is inactive, and reports no state, without Kafka", () =>
  Effect.gen(function* () {
    yield* happen(auditTopic, 1)
    yield* relayBus
    assert.isUndefined((yield* BusHealth.BusHealth).state())
  }).pipe(Effect.provideService(Kafka, Kafka.of({ api: undefined })), Effect.provide(Bus))
)

for (const kind of ["down", "refuses", "lost"] as const) {
  story(`pauses while the brokers fail (${kind}) and skips no event`, () =>
    Effect.gen(function* () {
      const broker = yield* Broker
      yield* happen(auditTopic, 450)
      yield* trouble(kind)
      yield* working(1800)
      const attempts = broker.calls.length
      assert.isAbove(attempts, 20)
      assert.isBelow(attempts, 40, "it does not rest between attempts")

      yield* trouble(undefined)
      yield* happen(auditTopic, 1)
      yield* working(70)
      yield* allArrived(auditTopic)
      assert.lengthOf(broker.calls, attempts + 3)
    })
  )
}

story("one refused topic does not block others", () =>
  Effect.gen(function* () {
    yield* happen(auditTopic, 3)
    yield* happen(alarmTopic, 3)
    yield* trouble("refuses", auditTopic)
    yield* inTime(relayBus)
    assert.deepStrictEqual(yield* arrived(auditTopic), [])
    yield* allArrived(alarmTopic)
  })
)

story("is taken over from a silent process, which changes nothing when it resumes", () =>
  Effect.gen(function* () {
    const broker = yield* Broker
    yield* happen(auditTopic, 450)
    yield* trouble("hangs")
    yield* Effect.forkDetach(relayBus)
    yield* settle
    yield* trouble(undefined)
    yield* relayBus
    assert.lengthOf(broker.calls, 1, "the lease of the silent one still holds")
    yield* working(40)
    yield* allArrived(auditTopic)
  })
)

story("a process that stops halfway releases its turn at once", () =>
  Effect.gen(function* () {
    yield* happen(auditTopic, 10)
    yield* trouble("hangs")
    const round = yield* Effect.forkChild(relayBus)
    yield* settle
    yield* Fiber.interrupt(round)
    yield* trouble(undefined)
    yield* relayBus
    yield* allArrived(auditTopic)
  })
)

story("two concurrent processes deliver every event once and in order", () =>
  Effect.gen(function* () {
    const rounds = Effect.forever(Effect.andThen(relayBus, Effect.sleep("100 millis")))
    const mine = yield* Effect.forkChild(rounds)
    const theirs = yield* Effect.forkChild(rounds)
    for (let burst = 0; burst < 20; burst++) {
      yield* happen(asgTopic, 30)
      yield* TestClock.adjust("170 millis")
      yield* settle
    }
    yield* pass(20)
    yield* Fiber.interrupt(mine)
    yield* Fiber.interrupt(theirs)
    assert.deepStrictEqual(yield* arrived(asgTopic), yield* inLog(asgTopic))
  })
)

story("a position that was reset repeats events with the same ids, and loses none", () =>
  Effect.gen(function* () {
    yield* happen(auditTopic, 300)
    yield* inTime(relayBus)
    const { relays } = yield* Memory
    const row = relays.get(`kafka/${auditTopic}`)
    assert.isDefined(row)
    if (row !== undefined) relays.set(row.topic, { ...row, position: 0 })
    yield* happen(auditTopic, 1)
    yield* inTime(relayBus)
    const ids = yield* arrived(auditTopic)
    assert.lengthOf(ids, 601)
    assert.deepStrictEqual([...new Set(ids)], yield* inLog(auditTopic))
  })
)

story("has a position of its own, apart from billing's", () =>
  Effect.gen(function* () {
    const relays = yield* Relays
    const [event] = yield* happen("billing.lifecycle", 1)
    const held = yield* relays.claim("billing.lifecycle")
    if (held !== undefined) yield* relays.advance(held, 2 ** 40)
    yield* inTime(relayBus)
    assert.deepStrictEqual(yield* arrived("billing.lifecycle"), [event?.id ?? ""])
  })
)

story("large events are sent in calls of half a megabyte", () =>
  Effect.gen(function* () {
    const broker = yield* Broker
    yield* happen(auditTopic, 20, { text: "x".repeat(100_000) })
    yield* inTime(relayBus)
    yield* allArrived(auditTopic)
    assert.deepStrictEqual(
      broker.calls.map((_) => _.messages),
      [5, 5, 5, 5]
    )
  })
)

story("events too large together go singly, one too large alone without data, and none blocks others", () =>
  Effect.gen(function* () {
    const broker = yield* Broker
    const health = (yield* BusHealth.BusHealth).topicStatus(auditTopic)
    broker.limit = 50_000
    const small = yield* happen(auditTopic, 2, { text: "x".repeat(30_000) })
    const [large] = yield* happen(auditTopic, 1, { text: "x".repeat(60_000) })
    const behind = yield* happen(auditTopic, 1)
    yield* inTime(relayBus)
    yield* allArrived(auditTopic)
    const messages = broker.topics.get(auditTopic) ?? []
    assert.deepStrictEqual(
      messages.map((_) => _.headers["reduced"]),
      [undefined, undefined, "true", undefined]
    )
    assert.deepStrictEqual(JSON.parse(messages[2]?.value ?? ""), { ...large?.envelope, data: {} })
    assert.deepStrictEqual(
      messages.map((_) => _.headers["id"]),
      [...small, large, ...behind].map((_) => _?.id)
    )
    assert.deepStrictEqual([health.sent.value, health.reduced.value], [3, 1])

    broker.limit = 100
    yield* happen(auditTopic, 1)
    yield* inTime(relayBus)
    broker.limit = 50_000
    const [last] = yield* happen(auditTopic, 1)
    yield* inTime(relayBus)
    assert.lengthOf(broker.topics.get(auditTopic) ?? [], 5)
    assert.strictEqual((yield* arrived(auditTopic)).at(-1), last?.id)
  })
)

story("readiness distinguishes unreachable brokers from a late topic, and from a healthy state", () =>
  Effect.gen(function* () {
    const health = yield* BusHealth.BusHealth
    assert.isUndefined(health.state())
    yield* happen(auditTopic, 2)
    yield* inTime(relayBus)
    assert.strictEqual(health.state(), "ok")

    yield* happen(auditTopic, 3)
    yield* trouble("down")
    yield* relayBus
    assert.strictEqual(health.state(), "unreachable")
    assert.strictEqual(health.topicStatus(auditTopic).waiting, 3)

    yield* trouble("refuses")
    yield* working(100)
    assert.strictEqual(health.state(), "behind")
    assert.isAbove(health.topicStatus(auditTopic).lagSeconds, 60)

    yield* trouble("down")
    yield* working(70)
    yield* trouble(undefined)
    yield* working(70)
    assert.strictEqual(health.state(), "ok")
    assert.deepInclude(health.topicStatus(auditTopic), { waiting: 0, lagSeconds: 0, unanswered: false })
  })
)
