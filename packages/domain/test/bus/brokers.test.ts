import { assert, describe, it } from "@effect/vitest"
import { auditTopic } from "@portico/contract/Events"
import * as BusHealth from "@portico/domain/bus/BusHealth"
import { relayBus } from "@portico/domain/bus/relay"
import { EventLog } from "@portico/store/EventLog"
import { Memory } from "@portico/testing/store/Memory"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { ConfigProvider, DateTime, Effect, Fiber, Layer, Schedule, type Schema } from "effect"
import { randomUUID } from "node:crypto"
import { isHere, type Kept, named, realBrokers } from "../../../upstream/test/kafka/RealBrokers.ts"

/** One replica of the gateway, as far as the bus goes. */
const replicaAt = (settings: Readonly<Record<string, string>>) =>
  Layer.fresh(Layer.merge(Kafka.layer, BusHealth.layer)).pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )

const keys = 7

/** That many calls have been made. */
const happen = Effect.fnUntraced(function* (count: number, data: Schema.JsonObject = {}) {
  const at = DateTime.makeUnsafe("2026-01-05T10:00:00.000Z")
  const events = Array.from({ length: count }, (_, n) => {
    const id = randomUUID()
    const key = `cred-${n % keys}`
    const envelope = {
      id,
      topic: auditTopic,
      kind: "api.call",
      at: DateTime.formatIso(at),
      key,
      project_id: null,
      data
    }
    return { id, topic: auditTopic, key, at, envelope }
  })
  yield* (yield* EventLog).append(events)
  return events
})

/** Events go on happening. */
const happening = Effect.forever(Effect.andThen(happen(50), Effect.sleep("25 millis")))

const rounds = Effect.forever(Effect.andThen(relayBus, Effect.sleep("20 millis")))

/** Waits until everything has been sent. */
const caughtUp = Effect.gen(function* () {
  const { events, relays } = yield* Memory
  const last = [...events.values()].at(-1)?.sequence
  if (relays.get(`kafka/${auditTopic}`)?.position !== last) return yield* Effect.fail("behind")
}).pipe(Effect.retry(Schedule.spaced("50 millis")), Effect.timeout("40 seconds"))

const idOf = ({ headers }: Kept) => /(?:^|,)id=([^,]+)/.exec(headers)?.[1]

/**
 * Every event is there, and of each key they have come first in the order of the log.
 *
 * @returns how many came more than once
 */
const complete = Effect.fnUntraced(function* (kept: ReadonlyArray<Kept>) {
  const { events } = yield* Memory
  for (let key = 0; key < keys; key++) {
    const logged = [...events.values()].filter((_) => _.key === `cred-${key}`).map((_) => _.id)
    const came = kept.filter((_) => _.key === `cred-${key}`).map(idOf)
    assert.deepStrictEqual([...new Set(came)], logged, `cred-${key}`)
  }
  return kept.length - events.size
})

describe.runIf(isHere)("the bus in front of a real Apache Kafka", () => {
  it.live(
    "three brokers: nothing is lost and every key is in order while leaders change, die, and come back",
    () =>
      Effect.gen(function* () {
        const { admin, leaderOf, nodes, read } = yield* realBrokers({ nodes: 3 })
        const batch = 200
        yield* Effect.gen(function* () {
          const { state, topicStatus } = yield* BusHealth.BusHealth
          const relaying = yield* Effect.forkChild(rounds)
          const calls = yield* Effect.forkChild(happening)
          const failures = topicStatus(auditTopic).failures
          yield* Effect.sleep("1 second")

          // In good order, as when a broker is updated: its partitions move first.
          const leader = nodes[yield* leaderOf(auditTopic)]
          assert.isDefined(leader)
          yield* leader.stop
          yield* Effect.sleep("1 second")
          yield* leader.start
          yield* Effect.sleep("1 second")

          // Suddenly: the controller notices after the session of the broker.
          const next = nodes[yield* leaderOf(auditTopic)]
          assert.isDefined(next)
          yield* next.kill
          yield* Effect.sleep("4 seconds")
          yield* next.start

          yield* Fiber.interrupt(calls)
          yield* caughtUp
          assert.strictEqual(state(), "ok")
          assert.isAbove(failures.value, 0, "the relay did not notice")
          const twice = yield* complete(yield* read(auditTopic))
          assert.isAtMost(twice, failures.value * batch, "a failed call repeats its own events, and no others")
          yield* Fiber.interrupt(relaying)
        }).pipe(Effect.provide(replicaAt({ KAFKA_BROKERS: admin })))
      }).pipe(Effect.scoped, Effect.provide(MemoryStore.layer)),
    180_000
  )

  it.live(
    "one broker: the relay goes on when it is back, and sends what is too large without its content",
    () =>
      Effect.gen(function* () {
        const { admin, nodes, read } = yield* realBrokers()
        const [node] = nodes
        assert.isDefined(node)
        yield* Effect.gen(function* () {
          const { state, topicStatus } = yield* BusHealth.BusHealth
          const relaying = yield* Effect.forkChild(rounds)
          yield* happen(500)
          yield* caughtUp
          yield* node.kill
          yield* happen(500)
          yield* Effect.sleep("1 second")
          assert.strictEqual(state(), "unreachable")
          yield* node.start
          yield* caughtUp
          assert.strictEqual(state(), "ok")

          const [large] = yield* happen(1, { text: "x".repeat(1_200_000) })
          const [small] = yield* happen(1)
          yield* caughtUp
          const kept = yield* read(auditTopic)
          yield* complete(kept)
          const reduced = kept.filter(({ headers }) => headers.includes("reduced=true"))
          assert.deepStrictEqual(reduced.map(idOf), [large?.id])
          assert.deepStrictEqual(
            reduced.map(({ value }) => JSON.parse(value).data),
            [{}]
          )
          assert.include(kept.map(idOf), small?.id)
          assert.strictEqual(topicStatus(auditTopic).reduced.value, 1)
          yield* Fiber.interrupt(relaying)
        }).pipe(Effect.provide(replicaAt({ KAFKA_BROKERS: admin, KAFKA_REPLICATION: "1" })))
      }).pipe(Effect.scoped, Effect.provide(MemoryStore.layer)),
    180_000
  )
})

if (!isHere) it.skip(named("the bus in front of a real Apache Kafka"), () => {})
