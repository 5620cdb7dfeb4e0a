import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { AgentCalls, callLease, overdueTime } from "../src/AgentCalls.ts"
import { EventLog, type NewEvent } from "../src/EventLog.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

const topic = "agent.actions"

const begun = (key = "user-1"): NewEvent => ({
  id: randomUUID(),
  topic,
  key,
  at: DateTime.makeUnsafe(1000),
  envelope: { project_id: "project-1", data: { outcome: "unknown" } }
})

const ended = (event: NewEvent): NewEvent => ({
  ...event,
  at: DateTime.makeUnsafe(2000),
  envelope: { ...event.envelope, data: { outcome: "succeeded" } }
})

/** What the log has. Time that passes moves its events too. */
const recorded = Effect.flatMap(EventLog, (log) =>
  Effect.map(log.page(topic, 0, 1000), (_) => _.map(({ envelope, id, key }) => ({ id, key, envelope })))
)

const toldOf = ({ envelope, id, key }: NewEvent) => ({ id, key, envelope })

const claimLost = Effect.flatMap(AgentCalls, (_) => _.claimLost)

/** Both rounds that a call needs to be given up. */
const givenUp = Effect.gen(function* () {
  yield* pass(callLease)
  assert.strictEqual(yield* claimLost, 0)
  yield* pass(overdueTime)
})

storiesOf("a running tool call", (story) => {
  story("is recorded once, with its outcome", () =>
    Effect.gen(function* () {
      const calls = yield* AgentCalls
      const event = begun()
      yield* calls.begin(event)
      assert.deepStrictEqual(yield* recorded, [])
      assert.isTrue(yield* calls.end(event.id, ended(event)))
      assert.isFalse(yield* calls.end(event.id, ended(event)))
      assert.isFalse(yield* calls.renew(event.id))
      yield* givenUp
      assert.strictEqual(yield* claimLost, 0)
      assert.deepStrictEqual(yield* recorded, [toldOf(ended(event))])
    })
  )

  story("is deleted when it ends without a record", () =>
    Effect.gen(function* () {
      const calls = yield* AgentCalls
      const event = begun()
      yield* calls.begin(event)
      assert.isTrue(yield* calls.end(event.id, undefined))
      yield* givenUp
      assert.strictEqual(yield* claimLost, 0)
      assert.deepStrictEqual(yield* recorded, [])
    })
  )

  story("is recorded once as it began when its process dies, and a late end changes nothing", () =>
    Effect.gen(function* () {
      const calls = yield* AgentCalls
      const [one, other] = [begun(), begun("user-2")]
      yield* calls.begin(one)
      yield* calls.begin(other)
      yield* givenUp
      assert.strictEqual(yield* claimLost, 2)
      assert.strictEqual(yield* claimLost, 0)
      assert.isFalse(yield* calls.end(one.id, ended(one)))
      assert.sameDeepMembers([...(yield* recorded)], [toldOf(one), toldOf(other)])
    })
  )

  story("is not given up while its process renews it", () =>
    Effect.gen(function* () {
      const calls = yield* AgentCalls
      const event = begun()
      yield* calls.begin(event)
      yield* pass(Duration.subtract(callLease, margin))
      assert.isTrue(yield* calls.renew(event.id))
      yield* pass(Duration.subtract(callLease, margin))
      assert.strictEqual(yield* claimLost, 0)
      yield* pass(callLease)
      assert.strictEqual(yield* claimLost, 0)
      // The process was cut off, and is back.
      assert.isTrue(yield* calls.renew(event.id))
      yield* pass(overdueTime)
      assert.strictEqual(yield* claimLost, 0)
      assert.isTrue(yield* calls.end(event.id, ended(event)))
      assert.deepStrictEqual(yield* recorded, [toldOf(ended(event))])
    })
  )

  story("can still record its outcome when it is overdue", () =>
    Effect.gen(function* () {
      const calls = yield* AgentCalls
      const event = begun()
      yield* calls.begin(event)
      yield* pass(callLease)
      assert.strictEqual(yield* claimLost, 0)
      yield* pass(Duration.subtract(overdueTime, margin))
      assert.strictEqual(yield* claimLost, 0)
      assert.isTrue(yield* calls.end(event.id, ended(event)))
      assert.deepStrictEqual(yield* recorded, [toldOf(ended(event))])
    })
  )

  story("is not recorded again when its event is in the log already", () =>
    Effect.gen(function* () {
      const calls = yield* AgentCalls
      const event = begun()
      yield* calls.begin(event)
      yield* (yield* EventLog).append([ended(event)])
      yield* givenUp
      assert.strictEqual(yield* claimLost, 1)
      assert.deepStrictEqual(yield* recorded, [toldOf(ended(event))])
    })
  )
})

postgresStoriesOf("a tool call on PostgreSQL", (story) => {
  story("is recorded by one of many replicas when it is given up", () =>
    Effect.gen(function* () {
      const calls = yield* AgentCalls
      const events = Array.from({ length: 50 }, () => begun())
      for (const event of events) yield* calls.begin(event)
      yield* givenUp
      const claims = yield* Effect.replicateEffect(claimLost, 8, { concurrency: "unbounded" })
      assert.strictEqual(
        claims.reduce((sum, _) => sum + _, 0),
        50
      )
      assert.lengthOf(yield* recorded, 50)
    })
  )
})
