import { type Action, Actions, type Ended } from "@portico/agent/Actions"
import type { Agent } from "@portico/agent/CurrentAgent"
import { assert, it } from "@effect/vitest"
import { agentTopic } from "@portico/contract/Events"
import { asAgent } from "@portico/domain/access/asAgent"
import { beyondRate, refused } from "@portico/domain/audit/RejectedCalls"
import { Bus } from "@portico/domain/events/Bus"
import { Publisher } from "@portico/domain/events/Publisher"
import { AgentCalls, callLease, overdueTime } from "@portico/store/AgentCalls"
import { EventLog } from "@portico/store/EventLog"
import { inTime, settle } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { callerOf } from "@portico/testing/tenants/caller"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { ActionsLive } from "@portico/gateway/agent/actions"

/** What the database does: nothing of its own, unless a story says so. */
class Trouble extends Context.Service<Trouble, { begin: Effect.Effect<void>; end: Effect.Effect<void> }>()(
  "portico/gateway/test/Trouble"
) {
  static readonly layer = Layer.sync(Trouble, () => ({ begin: Effect.void, end: Effect.void }))
}

const broken = Effect.die(new Error("the database is away"))

const TroubledCalls = Layer.effect(
  AgentCalls,
  Effect.gen(function* () {
    const calls = yield* AgentCalls
    const trouble = yield* Trouble
    return AgentCalls.of({
      ...calls,
      begin: (event) =>
        Effect.andThen(
          Effect.suspend(() => trouble.begin),
          calls.begin(event)
        ),
      end: (id, event) =>
        Effect.andThen(
          Effect.suspend(() => trouble.end),
          calls.end(id, event)
        )
    })
  })
)

const Everything = ActionsLive.pipe(
  Layer.provide(TroubledCalls),
  Layer.provide(Publisher.layer),
  Layer.provide(Bus.layer),
  Layer.provideMerge(Layer.merge(MemoryStore.layer, Trouble.layer))
)

const agent: Agent = {
  caller: asAgent(callerOf("acme")),
  token: Redacted.make("token"),
  source: "192.0.2.1",
  requestId: "4bf92f3577b34da6a3ce929d0e0e4736"
}

const reads: Action = { tool: "alarms_list", arguments: ["limit"], writes: false }
const writes: Action = { tool: "alarms_create", arguments: ["name", "two words"], writes: true }

const done: Ended = { outcome: "succeeded", status: 200, code: null }

const recorded = <A, E, R>(action: Action, call: Effect.Effect<A, E, R>, ended = done) =>
  Effect.flatMap(Actions, (_) => _.recorded(agent, action, call, () => ended))

const events = Effect.flatMap(EventLog, (log) =>
  Effect.map(log.page(agentTopic, 0, 10_000), (_) =>
    _.map(({ envelope }): Record<string, unknown> => ({ at: envelope["at"], ...Object(envelope["data"]) }))
  )
)

const outcomes = Effect.map(events, (_) => _.map(({ outcome }) => outcome))

const underWay = Effect.map(Memory, ({ agentCalls }) => agentCalls.size)

/** The rounds of the job until every call of a dead process is given up. */
const givenUp = Effect.gen(function* () {
  const { claimLost } = yield* AgentCalls
  yield* TestClock.adjust(callLease)
  yield* claimLost
  yield* TestClock.adjust(overdueTime)
  yield* claimLost
})

const story = <E>(title: string, tell: () => Effect.Effect<void, E, Layer.Success<typeof Everything>>) =>
  it.effect(title, () => Effect.provide(tell(), Everything))

story("a call leaves one event, with names and no values", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* recorded(writes, Effect.succeed("made")), "made")
    assert.strictEqual(yield* recorded(reads, Effect.succeed("found")), "found")
    const [written, read, ...others] = yield* events
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(written, {
      at: "1970-01-01T00:00:00.000Z",
      user_id: agent.caller.userId,
      credential_id: agent.caller.credentialId,
      tier: 1,
      tool: "alarms_create",
      arguments: ["name"],
      method: "POST",
      route: "/v1/alarms",
      resources: [],
      outcome: "succeeded",
      status: 200,
      code: null,
      source: "192.0.2.1",
      request_id: "4bf92f3577b34da6a3ce929d0e0e4736"
    })
    assert.deepInclude(read, { tool: "alarms_list", method: "GET", route: "/v1/alarms" })
    yield* givenUp
    assert.lengthOf(yield* events, 2)
  })
)

story("a write is recorded before it acts, and its answer waits for its record", () =>
  Effect.gen(function* () {
    const trouble = yield* Trouble
    const free = yield* Deferred.make<void>()
    trouble.end = Deferred.await(free)
    let seen: number | undefined
    const call = yield* Effect.forkChild(
      recorded(
        writes,
        Effect.map(underWay, (_) => (seen = _))
      )
    )
    yield* settle
    assert.strictEqual(seen, 1)
    assert.isUndefined(call.pollUnsafe(), "the answer left before its record")
    assert.deepStrictEqual(yield* outcomes, [])
    yield* Deferred.succeed(free, undefined)
    yield* Fiber.join(call)
    assert.deepStrictEqual(yield* outcomes, ["succeeded"])
    assert.strictEqual(yield* underWay, 0)
  })
)

for (const [how, begin] of [
  ["fails", broken],
  ["does not answer", Effect.never]
] as const) {
  story(`a write is refused while the database ${how}, which is recorded afterwards`, () =>
    Effect.gen(function* () {
      const trouble = yield* Trouble
      trouble.begin = begin
      let acted = false
      const act = Effect.sync(() => void (acted = true))
      const failure = yield* inTime(Effect.flip(recorded(writes, act)))
      assert.deepInclude(failure, { _tag: "Unavailable", code: "agent_actions_unwritable" })
      assert.isFalse(acted)
      yield* recorded(reads, Effect.void)
      yield* givenUp
      assert.deepStrictEqual(
        (yield* events).map(({ code, outcome, status }) => [outcome, status, code]),
        [
          ["refused", 503, "agent_actions_unwritable"],
          ["succeeded", 200, null]
        ]
      )
    })
  )
}

for (const [how, end] of [
  ["fails", broken],
  ["does not answer", Effect.never]
] as const) {
  story(`a call's outcome is not lost when the database ${how} after it`, () =>
    Effect.gen(function* () {
      const trouble = yield* Trouble
      trouble.end = end
      yield* inTime(recorded(writes, Effect.void))
      yield* settle
      assert.deepStrictEqual(yield* outcomes, ["succeeded"])
      yield* givenUp
      assert.strictEqual(yield* underWay, 0)
      assert.deepStrictEqual(yield* outcomes, ["succeeded"])
    })
  )
}

for (const action of [reads, writes]) {
  story(`the outcome of a disconnected client's call is unknown, writes: ${action.writes}`, () =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(recorded(action, Effect.never))
      yield* settle
      yield* Fiber.interrupt(call)
      assert.deepStrictEqual(yield* outcomes, ["unknown"])
      yield* givenUp
      assert.deepStrictEqual(yield* outcomes, ["unknown"])
    })
  )

  story(`a fault of the gateway is recorded, writes: ${action.writes}`, () =>
    Effect.gen(function* () {
      yield* Effect.exit(recorded(action, Effect.die("a fault")))
      assert.deepStrictEqual(yield* outcomes, ["failed"])
    })
  )

  story(`a flood of refused calls leaves a limited number of records, writes: ${action.writes}`, () =>
    Effect.gen(function* () {
      const wrong: Ended = { outcome: "refused", status: 422, code: "validation_error" }
      for (let nth = 0; nth < refused.burst + 40; nth++) yield* recorded(action, Effect.void, wrong)
      assert.lengthOf(yield* events, refused.burst)
      assert.strictEqual(yield* underWay, 0)
      yield* recorded(action, Effect.void)
      assert.lengthOf(yield* events, refused.burst + 1)
    })
  )

  story(`a flood beyond the rate limit leaves few records and no rows, writes: ${action.writes}`, () =>
    Effect.gen(function* () {
      const limited: Ended = { outcome: "refused", status: 429, code: "rate_limited" }
      for (let nth = 0; nth < beyondRate.burst + 40; nth++) yield* recorded(action, Effect.void, limited)
      assert.lengthOf(yield* events, beyondRate.burst)
      assert.strictEqual(yield* underWay, 0)
      yield* recorded(action, Effect.void)
      assert.lengthOf(yield* events, beyondRate.burst + 1)
    })
  )
}

story("a long call is not given up while its process lives, and a lost one is recorded as begun", () =>
  Effect.gen(function* () {
    const { claimLost } = yield* AgentCalls
    const free = yield* Deferred.make<void>()
    const call = yield* Effect.forkChild(recorded(writes, Deferred.await(free)))
    yield* settle
    for (let minute = 0; minute < 15; minute++) {
      yield* TestClock.adjust("1 minute")
      yield* settle
      assert.strictEqual(yield* claimLost, 0)
    }
    yield* Deferred.succeed(free, undefined)
    yield* Fiber.join(call)
    assert.deepStrictEqual(
      (yield* events).map(({ at, outcome }) => [at, outcome]),
      [["1970-01-01T00:15:00.000Z", "succeeded"]]
    )
  })
)
