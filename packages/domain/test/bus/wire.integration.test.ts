import { assert, describe, it } from "@effect/vitest"
import { auditTopic } from "@portico/contract/Events"
import * as BusHealth from "@portico/domain/bus/BusHealth"
import { relayBus } from "@portico/domain/bus/relay"
import { EventLog } from "@portico/store/EventLog"
import { Memory } from "@portico/testing/store/Memory"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { ConfigProvider, DateTime, Effect, Fiber, Layer, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { address, isHere, type Kept, mockBrokers, named } from "../../../upstream/test/kafka/MockBrokers.ts"

/** One replica of the gateway, as far as the bus goes. */
const replicaAt = (brokers: string) =>
  Layer.fresh(Layer.merge(Kafka.layer, BusHealth.layer)).pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ KAFKA_BROKERS: brokers })))
  )

/** That many calls have been made. */
const happen = Effect.fnUntraced(function* (count: number) {
  const at = DateTime.makeUnsafe("2026-01-05T10:00:00.000Z")
  const events = Array.from({ length: count }, (_, n) => {
    const id = randomUUID()
    const key = `cred-${n % 5}`
    const envelope = {
      id,
      topic: auditTopic,
      kind: "api.call",
      at: DateTime.formatIso(at),
      key,
      project_id: null,
      data: {}
    }
    return { id, topic: auditTopic, key, at, envelope }
  })
  yield* (yield* EventLog).append(events)
})

const rounds = Effect.forever(Effect.andThen(relayBus, Effect.sleep("20 millis")))

/** Waits until everything has been sent. */
const caughtUp = Effect.gen(function* () {
  const { events, relays } = yield* Memory
  const last = [...events.values()].at(-1)?.sequence
  if (relays.get(`kafka/${auditTopic}`)?.position !== last) return yield* Effect.fail("behind")
}).pipe(Effect.retry(Schedule.spaced("50 millis")))

const idOf = ({ headers }: Kept) => /(?:^|,)id=([^,]+)/.exec(headers)?.[1]

/** Every event is there, and of each key they have come first in the order of the log. */
const complete = Effect.fnUntraced(function* (kept: ReadonlyArray<Kept>) {
  const { events } = yield* Memory
  for (let key = 0; key < 5; key++) {
    const logged = [...events.values()].filter((_) => _.key === `cred-${key}`).map((_) => _.id)
    const came = kept.filter((_) => _.key === `cred-${key}`).map(idOf)
    assert.deepStrictEqual([...new Set(came)], logged, `cred-${key}`)
  }
})

describe.runIf(isHere)("the bus over the wire", () => {
  it.live("resumes where it was when the brokers die and restart", () =>
    Effect.gen(function* () {
      const bootstrap = yield* address
      const first = yield* mockBrokers
      yield* first.make(auditTopic)
      yield* bootstrap.lead(first.brokers)
      yield* Effect.gen(function* () {
        const { state } = yield* BusHealth.BusHealth
        const relaying = yield* Effect.forkChild(rounds)
        yield* happen(300)
        yield* caughtUp
        const before = yield* first.read(auditTopic)
        yield* complete(before)

        yield* bootstrap.lead(undefined)
        yield* first.kill
        yield* happen(300)
        yield* Effect.retry(
          Effect.suspend(() => (state() === "unreachable" ? Effect.void : Effect.fail("not yet"))),
          Schedule.spaced("50 millis")
        )

        const second = yield* mockBrokers
        yield* second.make(auditTopic)
        yield* bootstrap.lead(second.brokers)
        yield* caughtUp
        assert.strictEqual(state(), "ok")
        const after = yield* second.read(auditTopic)
        yield* complete([...before, ...after])
        assert.lengthOf(after, 300, "what had arrived was not sent again")
        yield* Fiber.interrupt(relaying)
      }).pipe(Effect.provide(replicaAt(bootstrap.brokers)))
    }).pipe(Effect.scoped, Effect.provide(MemoryStore.layer))
  )

  it.live("two replicas, one of which restarts, send all events in order", () =>
    Effect.gen(function* () {
      const cluster = yield* mockBrokers
      yield* cluster.make(auditTopic)
      const replica = Effect.provide(rounds, replicaAt(cluster.brokers))
      const one = yield* Effect.forkChild(replica)
      let other = yield* Effect.forkChild(replica)
      for (let burst = 0; burst < 20; burst++) {
        yield* happen(100)
        yield* Effect.sleep("20 millis")
        if (burst % 5 !== 4) continue
        yield* Fiber.interrupt(other)
        other = yield* Effect.forkChild(replica)
      }
      yield* caughtUp
      yield* complete(yield* cluster.read(auditTopic))
      yield* Fiber.interruptAll([one, other])
    }).pipe(Effect.scoped, Effect.provide(MemoryStore.layer))
  )
})

if (!isHere) it.skip(named("the bus over the wire"), () => {})
