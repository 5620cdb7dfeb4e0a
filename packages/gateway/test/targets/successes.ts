import { Memory } from "@portico/testing/store/Memory"
import { DateTime, Effect } from "effect"
import { createHash, randomUUID } from "node:crypto"
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

/** An event of acme's in the log. */
const event = Effect.gen(function* () {
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
const forgetEvents = Effect.map(Memory, ({ events }) => {
  for (const [key, row] of events) if (row.sequence === 0) events.delete(key)
})

const bodies = { webhook: { url }, integration: { kind: "slack", name: "channel", url } }

const made = Effect.fnUntraced(function* (resource: keyof typeof bodies) {
  yield* places
  const { acme } = yield* Cast
  const asked = { token: acme.tokens[1], body: bodies[resource] }
  const answer = yield* (yield* TestGateway).call("customer", "POST", `/v1/${resource}s`, asked)
  return `/v1/${resource}s/${jsonOf(answer)[`${resource}_id`]}`
})

/** An address that was asked, with a code that this knows. */
const asked: Success["prepare"] = Effect.gen(function* () {
  const path = yield* made("integration")
  const { targets } = yield* Memory
  const code = "code"
  const code_hash = createHash("sha256").update(code).digest("hex")
  const recipient = { address: "a@b.example", confirmed_at: null, code_hash, code_ends_at: "2999-01-01T00:00:00.000Z" }
  for (const [key, row] of targets) {
    targets.set(key, { ...row, kind: "email", settings: { recipients: [recipient] } })
  }
  return { path: `${path}/confirm`, body: { code } }
})

/** The rows of the matrix for a resource of targets. */
const successesOf = (
  resource: keyof typeof bodies,
  name: string,
  rotation: { readonly status: number; readonly body: object }
): Readonly<Record<string, Success>> => {
  const all = `/v1/${resource}s`
  const id = `${all}/:${resource}_id`
  const elsewhere = {
    status: 404,
    body: (path: string) => ({ detail: `${name} '${path.split("/")[3]}' not found`, code: `${resource}_not_found` })
  }
  const of = (path = "", body?: object) => Effect.map(made(resource), (_) => ({ path: `${_}${path}`, body }))
  return {
    [`GET ${all}`]: { status: 200, prepare: Effect.succeed({ path: all }) },
    [`POST ${all}`]: {
      status: 201,
      prepare: Effect.as(places, { path: all, body: bodies[resource] }),
      elsewhere: { status: 201 }
    },
    [`GET ${id}`]: { status: 200, prepare: of(), elsewhere },
    [`PATCH ${id}`]: { status: 200, prepare: of("", { enabled: false }), elsewhere },
    [`DELETE ${id}`]: { status: 200, prepare: of(), elsewhere },
    [`GET ${id}/deliveries`]: { status: 200, prepare: of("/deliveries"), elsewhere },
    [`POST ${id}/test`]: { status: 200, prepare: of("/test"), elsewhere },
    [`POST ${id}/rotate-secret`]: {
      status: rotation.status,
      prepare: of("/rotate-secret", rotation.body),
      elsewhere
    },
    [`POST ${id}/redeliver`]: {
      status: 202,
      prepare: Effect.flatMap(event, (event_id) => of("/redeliver", { event_id })),
      after: forgetEvents,
      elsewhere
    },
    ...(resource === "webhook" ? {} : { [`POST ${id}/confirm`]: { status: 200, prepare: asked, elsewhere } })
  }
}

export const targetSuccesses = {
  ...successesOf("webhook", "Webhook", { status: 201, body: {} }),
  ...successesOf("integration", "Integration", { status: 200, body: { url: `${url}rotated` } })
}
