import { assert, describe, it } from "@effect/vitest"
import { auditTopic } from "@portico/contract/Events"
import * as BusHealth from "@portico/domain/bus/BusHealth"
import { relayBus } from "@portico/domain/bus/relay"
import { batchSize } from "@portico/domain/relay"
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
}).pipe(Effect.retry(Schedule.spaced("50 millis")))

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

describe.runIf(isHere)("the bus in front of a real Apache Kafka of three brokers", () => {
  it.live("loses nothing and keeps every key in order while leaders change, die, and come back", () =>
    Effect.gen(function* () {
      const { admin, leaderOf, moveLeaders, nodes, read } = yield* realBrokers({ nodes: 3 })
      const leader = Effect.flatMap(leaderOf(auditTopic), (node) => Effect.fromNullishOr(nodes[node]))
      const moment = Effect.sleep("1 second")
      yield* Effect.gen(function* () {
        const { state, topicStatus } = yield* BusHealth.BusHealth
        const { failures, reduced, sent } = topicStatus(auditTopic)
        const relaying = yield* Effect.forkChild(rounds)
        const calls = yield* Effect.forkChild(happening)
        yield* Effect.andThen(moment, caughtUp)

        // One broker takes over what another one leads, as before an update.
        for (const node of nodes.keys()) {
          yield* moveLeaders(auditTopic, node, (node + 1) % nodes.length)
          yield* moment
        }
        // Suddenly: the controller notices when the session of the broker ends.
        const lost = yield* leader
        yield* lost.kill
        const before = sent.value
        // Two of three are enough: it goes on before the broker is back.
        yield* Effect.suspend(() => (sent.value > before + 1000 ? Effect.void : Effect.fail("not yet"))).pipe(
          Effect.retry(Schedule.spaced("50 millis"))
        )
        yield* lost.start

        yield* Fiber.interrupt(calls)
        const [large] = yield* happen(1, { text: "x".repeat(1_200_000) })
        yield* happen(1)
        yield* caughtUp
        assert.strictEqual(state(), "ok")
        const kept = yield* read(auditTopic)
        const again = yield* complete(kept)
        assert.isAbove(failures.value, 0, "the relay did not notice")
        assert.isAtMost(again, failures.value * batchSize, "a call that failed comes again, and no other")
        const small = kept.filter(({ headers }) => headers.includes("reduced=true"))
        assert.deepStrictEqual(
          small.map((_) => [idOf(_), JSON.parse(_.value).data]),
          [[large?.id, {}]]
        )
        assert.strictEqual(reduced.value, 1)
        yield* Fiber.interrupt(relaying)
      }).pipe(Effect.provide(replicaAt({ KAFKA_BROKERS: admin })))
    }).pipe(Effect.scoped, Effect.provide(MemoryStore.layer))
  )
})

if (!isHere) it.skip(named("the bus in front of a real Apache Kafka of three brokers"), () => {})
