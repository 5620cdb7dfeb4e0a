import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { EventLog } from "../src/EventLog.ts"
import { Relays } from "../src/Relays.ts"
import { pass } from "@portico/testing/store/Aging"
import { replica } from "./replica.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const topic = "billing.lifecycle"

const claim = Effect.flatMap(Relays, (relays) => relays.claim(topic))

storiesOf("Relays", (story) => {
  story(
    "a topic begins at its first event, and resumes at its position",
    Effect.fnUntraced(function* () {
      const relays = yield* Relays
      assert.strictEqual(yield* relays.position(topic), 0)
      const held = yield* present(claim)
      assert.deepInclude(held, { topic, position: 0, failures: 0 })

      const further = yield* present(relays.advance(held, 12))
      yield* relays.release(yield* present(relays.advance(further, 2 ** 52)))

      assert.strictEqual(yield* relays.position(topic), 2 ** 52)
      assert.deepInclude(yield* present(claim), { position: 2 ** 52 })
      assert.strictEqual(yield* relays.position("another.topic"), 0)
      assert.deepStrictEqual(
        (yield* relays.all).map((_) => [_.topic, _.position]),
        [[topic, 2 ** 52]]
      )
    })
  )

  story(
    "the backlog is counted by topic, up to ten thousand, with the time of the oldest",
    Effect.fnUntraced(function* () {
      const relays = yield* Relays
      const { append, page } = yield* EventLog
      const at = DateTime.makeUnsafe("2026-01-05T10:00:00.000Z")
      const events = (of: string, count: number) =>
        append(
          Array.from({ length: count }, (_, n) => ({
            id: randomUUID(),
            topic: of,
            key: "key",
            at: DateTime.add(at, { seconds: n }),
            envelope: {}
          }))
        )
      yield* events(topic, 3)
      yield* events("alarms", 10_001)
      yield* events("another.topic", 1)

      const held = yield* present(relays.claim(`kafka/${topic}`))
      const [first] = yield* page(topic, 0, 1)
      assert.isDefined(first)
      yield* relays.advance(held, first?.sequence ?? 0)
      // Somebody else's way of the same topic.
      yield* relays.advance(yield* present(claim), 2 ** 52)

      assert.deepStrictEqual(yield* relays.backlogs("kafka/", ["alarms", topic, "asg.lifecycle"]), [
        { topic: "alarms", events: 10_000, oldest: at },
        { topic, events: 2, oldest: DateTime.add(at, { seconds: 1 }) },
        { topic: "asg.lifecycle", events: 0, oldest: null }
      ])
    })
  )

  story(
    "one process holds it at a time, until the lease ends or is released",
    Effect.fnUntraced(function* () {
      const relays = yield* Relays
      const first = yield* present(claim)
      assert.isUndefined(yield* claim)
      yield* pass("20 seconds")
      const longer = yield* present(relays.advance(first, 1))
      yield* pass("20 seconds")
      assert.isUndefined(yield* claim, "an advance makes the lease as long again")

      yield* pass("11 seconds")
      const second = yield* present(claim)
      assert.strictEqual(second.position, 1)
      assert.isUndefined(yield* relays.advance(longer, 9), "whoever lost the lease moves nothing")
      yield* relays.release(longer)
      yield* relays.rest(longer)
      assert.isUndefined(yield* claim, "and gives nothing back")
      assert.strictEqual(yield* relays.position(topic), 1)

      yield* relays.release(second)
      assert.isDefined(yield* claim)
    })
  )

  story(
    "after failures it pauses for longer and longer, up to a minute, until a success",
    Effect.fnUntraced(function* () {
      const relays = yield* Relays
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
        yield* relays.rest(yield* present(claim))
        if (seconds > 4) {
          yield* pass(`${seconds - 3} seconds`)
          assert.isUndefined(yield* claim, `it does not rest for ${seconds} s`)
          yield* pass("4 seconds")
        } else yield* pass(`${seconds} seconds`)
      }
      const held = yield* present(claim)
      assert.strictEqual(held.failures, 8)
      yield* relays.rest(yield* present(relays.advance(held, 1)))
      yield* pass("1 second")
      assert.strictEqual((yield* present(claim)).failures, 1)
    })
  )
})

postgresStoriesOf("Relays of several replicas", (story) => {
  story(
    "of many concurrent claims, one succeeds",
    Effect.fnUntraced(function* () {
      const replicas = yield* Effect.all([replica, replica, replica])
      for (let round = 0; round < 10; round++) {
        const claims = yield* Effect.all(
          replicas.map((_) => Effect.provide(claim, _)),
          { concurrency: "unbounded" }
        )
        const [held, ...others] = claims.filter((_) => _ !== undefined)
        assert.isDefined(held)
        assert.deepStrictEqual(others, [])
        if (held !== undefined) yield* (yield* Relays).release(held)
      }
    })
  )
})
