import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Receiver, receiver } from "./Receiver.ts"
import { eventually } from "../processes/children.ts"
import { type Gateway, story, tenantOf, twoGateways } from "../processes/harness.ts"

const lab = { WEBHOOK_ALLOW_HTTP: "true", WEBHOOK_ALLOW_ADDRESSES: "127.0.0.1", DELIVERIES_SECONDS: "0.5" }

const kind = "alarm.state_changed"

/** A tenant with a webhook at this endpoint. */
const subscribed = Effect.fnUntraced(function* (gateway: Gateway, { url }: Receiver) {
  const { projectId, token } = yield* tenantOf(gateway, "Acme GmbH")
  const body = { url, kinds: [kind] }
  const made = yield* gateway.customer<{ webhook_id: string }>(token, "POST", "/v1/webhooks", body)
  assert.strictEqual(made.status, 201)
  return { projectId, token, webhookId: made.body.webhook_id ?? "" }
})

/** So many events of a tenant come into the log, as from somebody else's process. Their ids, in order. */
const happen = Effect.fnUntraced(function* (projectId: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Effect.orDie(
    sql.withTransaction(
      Effect.andThen(
        sql`SELECT pg_advisory_xact_lock(hashtext('portico/events')), pg_notify('portico_events', '')`,
        sql<{ id: string }>`
          INSERT INTO events (id, topic, key, at, envelope)
          SELECT id, 'alarms', 'alm-1', now(), jsonb_build_object('id', id, 'topic', 'alarms', 'kind', ${kind}::text,
            'at', '2026-01-01T00:00:00.000Z', 'key', 'alm-1', 'project_id', ${projectId}::text, 'data', '{}'::jsonb)
          FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${count}::int)) AS made
          RETURNING id`
      )
    )
  )
  return rows.map((_) => _.id)
})

const idsAt = ({ got }: Receiver) => got.map((_) => String(_.headers["webhook-id"]))

story("two gateways send every event once, in order", () =>
  Effect.gen(function* () {
    const endpoint = yield* receiver
    const [first, second] = yield* twoGateways(lab)
    const { projectId, token, webhookId } = yield* subscribed(first, endpoint)
    const events: Array<string> = []
    for (let round = 0; round < 10; round++) events.push(...(yield* happen(projectId, 10)))
    yield* eventually(Effect.sync(() => assert.isAtLeast(endpoint.got.length, 100)))
    // Both have had their chance to send one twice.
    yield* Effect.sleep("2 seconds")
    assert.deepStrictEqual(idsAt(endpoint), events)
    const seen = yield* second.customer<{ count: number }>(token, "GET", `/v1/webhooks/${webhookId}/deliveries?limit=1`)
    assert.deepStrictEqual([seen.status, seen.body.count], [200, 100], "the deliveries are the same on both")
  })
)

story("a delivery of a gateway that is killed is sent by the other one, with the same id", () =>
  Effect.gen(function* () {
    const endpoint = yield* receiver
    const [first, second] = yield* twoGateways(lab)
    const { projectId } = yield* subscribed(first, endpoint)
    // The other one sleeps while this one begins, so that it is known who is to be killed.
    yield* Effect.sleep("1 second")
    yield* signal(second, "SIGSTOP")
    endpoint.answer(undefined)
    const [event = ""] = yield* happen(projectId, 1)
    yield* eventually(Effect.sync(() => assert.deepStrictEqual(idsAt(endpoint), [event])))
    yield* first.kill
    endpoint.answer({ status: 204 })
    yield* signal(second, "SIGCONT")
    yield* eventually(Effect.sync(() => assert.deepStrictEqual(idsAt(endpoint), [event, event])))
    const stamps = endpoint.got.map((_) => Number(_.headers["webhook-timestamp"]))
    assert.isAbove(stamps[1] ?? 0, stamps[0] ?? 0, "it is signed anew")
    yield* Effect.sleep("1 second")
    assert.lengthOf(endpoint.got, 2)
  })
)

const signal = ({ pid }: Gateway, name: NodeJS.Signals) => Effect.sync(() => process.kill(pid, name))
