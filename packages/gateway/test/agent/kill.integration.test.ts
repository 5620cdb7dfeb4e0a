import { assert } from "@effect/vitest"
import type { AuditPage } from "@portico/contract/Audit"
import { agentTopic } from "@portico/contract/Events"
import { callLease, overdueTime } from "@portico/store/AgentCalls"
import { pass } from "@portico/testing/store/Aging"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { connectedTo } from "../harness/agents.ts"
import { eventually } from "../processes/children.ts"
import { cloudState, type Gateway, startGateway, story, tables, tenantOf, twoGateways } from "../processes/harness.ts"

/** Nothing enters the log until this is interrupted. */
const holdingTheLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const held = yield* Deferred.make<void>()
  const holding = yield* Effect.forkScoped(
    sql.withTransaction(
      sql`SELECT pg_advisory_xact_lock(hashtext('portico/events'))`.pipe(
        Effect.andThen(Deferred.succeed(held, undefined)),
        Effect.andThen(Effect.never)
      )
    )
  )
  yield* Deferred.await(held)
  return Fiber.interrupt(holding)
})

const createBucket = Effect.fnUntraced(function* (gateway: Gateway, token: string, name: string) {
  const client = yield* connectedTo(gateway.agentUrl, token)
  return yield* Effect.promise(() =>
    client.callTool({ name: "object_storage_create_bucket", arguments: { name } }).then(
      (_) => String(_.isError === true),
      () => "no answer"
    )
  )
}, Effect.scoped)

const recorded = Effect.map(tables, ({ agent_calls = [], events = [] }) => ({
  underWay: agent_calls.length,
  outcomes: events.flatMap((_) =>
    "topic" in _ && _.topic === agentTopic && "envelope" in _ ? [Object(_.envelope).data.outcome] : []
  )
}))

const hasBucket = (name: string) =>
  Effect.map(cloudState, (_) => JSON.stringify(_["rgw.buckets"]).includes(`"${name}"`))

/** Both rounds that a call needs to be given up. */
const givenUp = Effect.gen(function* () {
  yield* pass(callLease)
  yield* eventually(
    Effect.map(tables, ({ agent_calls = [] }) =>
      assert.isTrue(agent_calls.every((_) => "overdue_since" in _ && _.overdue_since !== null))
    )
  )
  yield* pass(overdueTime)
})

story("a gateway killed between a tool's act and its record leaves the act and one record", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const release = yield* holdingTheLog
    const call = yield* Effect.forkScoped(createBucket(first, token, "before-the-kill"))
    yield* eventually(Effect.map(hasBucket("before-the-kill"), (_) => assert.isTrue(_)))
    // The API has answered the tool, and the tool's answer waits for its record.
    yield* Effect.sleep("2 seconds")
    assert.isUndefined(call.pollUnsafe(), "the answer left before its record")
    assert.deepStrictEqual(yield* recorded, { underWay: 1, outcomes: [] })
    yield* first.kill
    yield* release
    assert.strictEqual(yield* Fiber.join(call), "no answer")

    const third = yield* startGateway()
    yield* givenUp
    yield* eventually(Effect.map(recorded, (_) => assert.deepStrictEqual(_, { underWay: 0, outcomes: ["unknown"] })))
    assert.isTrue(yield* hasBucket("before-the-kill"))
    for (const gateway of [second, third]) {
      const { records = [] } = (yield* gateway.customer<AuditPage>(token, "GET", "/v1/audit?actor=agent")).body
      assert.deepStrictEqual(
        records.filter((_) => _.tool !== null).map((_) => [_.tool, _.method, _.route, _.status]),
        [["object_storage_create_bucket", "POST", "/v1/object-storage/buckets", null]]
      )
    }

    // What an agent does that got no answer.
    yield* createBucket(second, token, "before-the-kill")
    assert.lengthOf((yield* recorded).outcomes, 2)
    yield* Effect.sleep("3 seconds")
    assert.deepInclude(yield* recorded, { underWay: 0 })
    assert.lengthOf((yield* recorded).outcomes, 2)
  })
)
