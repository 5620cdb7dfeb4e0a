import { assert } from "@effect/vitest"
import { pageRequestOf } from "@portico/contract/Page"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Credentials } from "../src/Credentials.ts"
import { EventLog, type EventRow } from "../src/EventLog.ts"
import { Transactions } from "../src/Transactions.ts"
import { type Counted, Usage } from "../src/Usage.ts"
import { credential } from "./credential.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const topic = "api.audit"
const acme = { projectId: "project-1", includeRevoked: true }

const moment = (second: number) => DateTime.makeUnsafe(second * 1000)

/** A call of a credential at some second. */
const call = (key: string, second: number) => ({
  id: randomUUID(),
  topic,
  key,
  at: moment(second),
  envelope: { data: {} }
})

const byCredential = ({ at, key }: EventRow): Counted => ({ by: { credentialId: key }, at })
const byUser = ({ at, key }: EventRow): Counted => ({ by: { userId: key }, at })

/** What the list says: id, calls, seconds of the last one. */
const numbers = Effect.gen(function* () {
  const { rows } = yield* (yield* Usage).page(acme, pageRequestOf({}))
  return rows.map((_) => [
    _.credential_id,
    _.call_count,
    _.last_call_at === null ? null : DateTime.toEpochMillis(_.last_call_at) / 1000
  ])
})

const written = Effect.fnUntraced(function* (...events: ReadonlyArray<ReturnType<typeof call>>) {
  yield* (yield* EventLog).append(events)
})

storiesOf("Usage", (story) => {
  story(
    "calls are summed by credential, and every credential of the list has a number",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const usage = yield* Usage
      for (const id of ["1", "2", "3"]) yield* credentials.insert(credential(id))
      yield* written(call("1", 10), call("2", 11), call("1", 12), call("nobody", 13))

      assert.strictEqual(yield* usage.fold(topic, 100, byCredential), 4)
      assert.deepStrictEqual(yield* numbers, [
        ["1", 2, 12],
        ["2", 1, 11],
        ["3", 0, null]
      ])
      yield* written(call("1", 9))
      yield* usage.fold(topic, 100, byCredential)
      assert.deepStrictEqual((yield* numbers)[0], ["1", 3, 12])
    })
  )

  story(
    "an event counts once, despite repeated publication and concurrent folds",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const usage = yield* Usage
      yield* credentials.insert(credential("1"))
      const events = Array.from({ length: 50 }, (_, index) => call("1", index))
      yield* written(...events)
      yield* written(...events)

      const fold = Effect.repeat(usage.fold(topic, 7, byCredential), { times: 12 })
      yield* Effect.all([fold, fold, fold, fold], { concurrency: "unbounded" })
      yield* fold
      yield* written(...events)
      yield* fold
      assert.deepStrictEqual(yield* numbers, [["1", 50, 49]])
    })
  )

  story(
    "events that do not count are skipped, and topics are folded apart",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const usage = yield* Usage
      yield* credentials.insert(credential("1"))
      yield* written(call("1", 1), { ...call("user-1", 2), topic: "agent.actions" }, call("1", 3))

      yield* usage.fold(topic, 100, (event) => (event.sequence % 2 === 0 ? undefined : byCredential(event)))
      const [, audited] = (yield* numbers)[0] ?? []
      yield* usage.fold("agent.actions", 100, byUser)
      yield* usage.fold("agent.actions", 100, byUser)
      const [, both] = (yield* numbers)[0] ?? []
      assert.strictEqual(Number(both) - Number(audited), 1)
      assert.strictEqual(yield* usage.fold(topic, 100, byCredential), 0)
    })
  )

  story(
    "members have no usage, and neither have removed credentials",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const usage = yield* Usage
      yield* credentials.insert(credential("1"))
      yield* credentials.insert(credential("m", { kind: "member" }))
      yield* written(call("1", 1), call("m", 1))
      yield* usage.fold(topic, 100, byCredential)
      assert.deepStrictEqual(yield* numbers, [["1", 1, 1]])
      yield* credentials.remove("1")
      assert.deepStrictEqual(yield* numbers, [])
    })
  )

  story(
    "tool calls are counted by credential and membership, with the last and the refused ones",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const usage = yield* Usage
      for (const id of ["1", "2", "3"]) yield* credentials.insert(credential(id))
      yield* credentials.insert(credential("m", { kind: "member" }))
      const agents = Effect.map(usage.agents(["3", "2", "1", "m", "nobody"]), (_) =>
        _.map((one) => ({ ...one, last_call_at: DateTime.toEpochMillis(one.last_call_at) / 1000 }))
      )
      assert.deepStrictEqual(yield* agents, [])
      const fold = (name: string | null, refused = false) =>
        usage.fold(topic, 100, (event) => ({ ...byUser(event), tool: { name, refused } }))

      yield* written(call("user-1", 10), call("user-1", 12), call("user-2", 11), call("user-m", 13))
      yield* fold("databases_list")
      yield* written(call("user-1", 14), call("user-2", 9))
      yield* fold("databases_create", true)
      yield* written(call("user-3", 15))
      yield* usage.fold(topic, 100, byUser)
      const first = { credential_id: "1", calls: 3, refused: 1, last_tool: "databases_create", last_call_at: 14 }
      assert.deepStrictEqual(yield* agents, [
        first,
        { credential_id: "2", calls: 2, refused: 1, last_tool: "databases_list", last_call_at: 11 },
        { credential_id: "m", calls: 1, refused: 0, last_tool: "databases_list", last_call_at: 13 }
      ])
      assert.lengthOf(yield* usage.agents([]), 0)
      assert.lengthOf(yield* usage.agents(["m"]), 1)

      // Of one batch, by the id of the credential and by that of its user.
      yield* written(call("user-1", 20), call("user-1", 22), call("1", 21))
      yield* usage.fold(topic, 100, (event) => ({
        ...(event.key === "1" ? byCredential(event) : byUser(event)),
        tool: { name: `tool_${DateTime.toEpochMillis(event.at) / 1000}`, refused: true }
      }))
      assert.deepStrictEqual((yield* agents)[0], {
        ...first,
        calls: 6,
        refused: 4,
        last_tool: "tool_22",
        last_call_at: 22
      })
      yield* credentials.remove("2")
      assert.deepStrictEqual(
        (yield* agents).map((_) => _.credential_id),
        ["1", "m"]
      )
    })
  )

  story(
    "usage comes in pages with the number of all credentials",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const usage = yield* Usage
      for (const id of ["1", "2", "3"]) yield* credentials.insert(credential(id))
      yield* credentials.revoke("3")
      const { count, rows } = yield* usage.page({ ...acme, includeRevoked: false }, pageRequestOf({ limit: 1 }))
      assert.strictEqual(count, 2)
      assert.deepStrictEqual(
        rows.map((_) => _.credential_id),
        ["1", "2"]
      )
    })
  )

  story(
    "the last use is the latest one noted",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const usage = yield* Usage
      yield* credentials.insert(credential("1"))
      yield* credentials.insert(credential("2"))
      const use = (credentialId: string, second: number, from: string) => ({ credentialId, at: moment(second), from })
      const seen = Effect.map(present(credentials.find("1")), ({ last_used_at, last_used_from }) => [
        last_used_at === null ? null : DateTime.toEpochMillis(last_used_at) / 1000,
        last_used_from
      ])
      assert.deepStrictEqual(yield* seen, [null, null])
      assert.deepStrictEqual(yield* usage.note([use("1", 10, "192.0.2.1"), use("nobody", 10, "192.0.2.1")]), [])
      assert.deepStrictEqual(yield* seen, [10, "192.0.2.1"])
      yield* usage.note([use("1", 9, "192.0.2.2")])
      assert.deepStrictEqual(yield* seen, [10, "192.0.2.1"])
      yield* usage.note([use("1", 11, "2001:db8::1"), use("2", 11, "192.0.2.3")])
      assert.deepStrictEqual(yield* seen, [11, "2001:db8::1"])
      yield* usage.note([])
    })
  )

  story(
    "a fold that is cut short adds nothing",
    Effect.fnUntraced(function* () {
      const { atomically } = yield* Transactions
      const credentials = yield* Credentials
      const usage = yield* Usage
      yield* credentials.insert(credential("1"))
      yield* written(call("1", 1))
      yield* Effect.exit(
        atomically(Effect.andThen(usage.fold(topic, 100, byCredential), Effect.fail("the process dies")))
      )
      assert.deepStrictEqual(yield* numbers, [["1", 0, null]])
      assert.strictEqual(yield* usage.fold(topic, 100, byCredential), 1)
      assert.deepStrictEqual(yield* numbers, [["1", 1, 1]])
    })
  )
})

postgresStoriesOf("Usage", (story) => {
  story(
    "a membership's calls are not stored",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const credentials = yield* Credentials
      yield* credentials.insert(credential("1"))
      yield* credentials.insert(credential("m", { kind: "member" }))
      yield* written(call("1", 1), call("m", 1))
      yield* (yield* Usage).fold(topic, 100, byCredential)
      assert.deepStrictEqual(yield* sql`SELECT credential_id FROM credential_usage`, [{ credential_id: "1" }])
    })
  )

  story(
    "a record under change is skipped, and returned",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const credentials = yield* Credentials
      const usage = yield* Usage
      yield* credentials.insert(credential("1"))
      yield* credentials.insert(credential("2"))
      const uses = ["1", "2"].map((credentialId) => ({ credentialId, at: moment(1), from: "192.0.2.1" }))
      const [changed, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const busy = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`UPDATE credentials SET label = 'busy' WHERE credential_id = '1'`
            yield* Deferred.succeed(changed, undefined)
            yield* Deferred.await(done)
          })
        )
      )
      yield* Deferred.await(changed)
      assert.deepStrictEqual(yield* usage.note(uses), ["1"])
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(busy)
      assert.isNull((yield* present(credentials.find("1"))).last_used_at)
      assert.isNotNull((yield* present(credentials.find("2"))).last_used_at)
    })
  )
})
