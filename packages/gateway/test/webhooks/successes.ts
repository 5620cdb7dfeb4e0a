import { Memory } from "@portico/testing/store/Memory"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Cast } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

/** Where nobody listens. */
const url = "http://127.0.0.1:1/"

/** What earlier calls made goes: a tenant has not many places. */
const places = Effect.map(Memory, ({ deliveries, targets }) => {
  targets.clear()
  deliveries.clear()
})

const webhook = (path = "", body?: object): Success["prepare"] =>
  Effect.gen(function* () {
    yield* places
    const { acme } = yield* Cast
    const asked = { token: acme.tokens[1], body: { url } }
    const { webhook_id } = jsonOf(yield* (yield* TestGateway).call("customer", "POST", "/v1/webhooks", asked))
    return { path: `/v1/webhooks/${webhook_id}${path}`, body }
  })

/** An event of acme's in the log. */
export const event = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { events } = yield* Memory
  const id = randomUUID()
  const kind = { topic: "alarms", kind: "alarm.state_changed", key: "alm-1" }
  const at = yield* DateTime.now
  const envelope = { id, ...kind, at: DateTime.formatIso(at), project_id: acme.projectId, data: {} }
  events.set(id, { id, ...kind, at, envelope, sequence: 0 })
  return id
})

/** Removes what {@link event} made. */
export const forgetEvents = Effect.map(Memory, ({ events }) => {
  for (const [key, row] of events) if (row.sequence === 0) events.delete(key)
})

const elsewhere = {
  status: 404,
  body: (path: string) => ({ detail: `Webhook '${path.split("/")[3]}' not found`, code: "webhook_not_found" })
}

const id = "/v1/webhooks/:webhook_id"

/** The rows of the matrix for webhooks. */
export const webhookSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/webhooks": { status: 200, prepare: Effect.succeed({ path: "/v1/webhooks" }) },
  "POST /v1/webhooks": {
    status: 201,
    prepare: Effect.as(places, { path: "/v1/webhooks", body: { url } }),
    elsewhere: { status: 201 }
  },
  [`GET ${id}`]: { status: 200, prepare: webhook(), elsewhere },
  [`PATCH ${id}`]: { status: 200, prepare: webhook("", { enabled: false }), elsewhere },
  [`DELETE ${id}`]: { status: 200, prepare: webhook(), elsewhere },
  [`GET ${id}/deliveries`]: { status: 200, prepare: webhook("/deliveries"), elsewhere },
  [`POST ${id}/test`]: { status: 200, prepare: webhook("/test"), elsewhere },
  [`POST ${id}/rotate-secret`]: { status: 201, prepare: webhook("/rotate-secret", {}), elsewhere },
  [`POST ${id}/redeliver`]: {
    status: 202,
    prepare: Effect.flatMap(event, (event_id) => webhook("/redeliver", { event_id })),
    after: forgetEvents,
    elsewhere
  }
}
