import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { Cast } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { event, forgetEvents } from "../webhooks/successes.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

/** Where nobody listens. */
const channel = { kind: "slack", name: "channel", url: "http://127.0.0.1:1/" }

/** What earlier calls made goes: a tenant has not many places. */
const places = Effect.map(Memory, ({ deliveries, targets }) => {
  targets.clear()
  deliveries.clear()
})

const made = Effect.gen(function* () {
  yield* places
  const { acme } = yield* Cast
  const asked = { token: acme.tokens[1], body: channel }
  const { integration_id } = jsonOf(yield* (yield* TestGateway).call("customer", "POST", "/v1/integrations", asked))
  return `/v1/integrations/${integration_id}`
})

const integration = (path = "", body?: object): Success["prepare"] =>
  Effect.map(made, (_) => ({ path: `${_}${path}`, body }))

/** An address that was asked, with a code that this knows. */
const asked: Success["prepare"] = Effect.gen(function* () {
  const path = yield* made
  const { targets } = yield* Memory
  const code = "code"
  const code_hash = createHash("sha256").update(code).digest("hex")
  const recipient = { address: "a@b.example", confirmed_at: null, code_hash, code_ends_at: "2999-01-01T00:00:00.000Z" }
  for (const [key, row] of targets) {
    targets.set(key, { ...row, kind: "email", settings: { recipients: [recipient] } })
  }
  return { path: `${path}/confirm`, body: { code } }
})

const elsewhere = {
  status: 404,
  body: (path: string) => ({ detail: `Integration '${path.split("/")[3]}' not found`, code: "integration_not_found" })
}

const id = "/v1/integrations/:integration_id"

/** The rows of the matrix for notification integrations. */
export const integrationSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/integrations": { status: 200, prepare: Effect.succeed({ path: "/v1/integrations" }) },
  "POST /v1/integrations": {
    status: 201,
    prepare: Effect.as(places, { path: "/v1/integrations", body: channel }),
    elsewhere: { status: 201 }
  },
  [`GET ${id}`]: { status: 200, prepare: integration(), elsewhere },
  [`PATCH ${id}`]: { status: 200, prepare: integration("", { enabled: false }), elsewhere },
  [`DELETE ${id}`]: { status: 200, prepare: integration(), elsewhere },
  [`GET ${id}/deliveries`]: { status: 200, prepare: integration("/deliveries"), elsewhere },
  [`POST ${id}/test`]: { status: 200, prepare: integration("/test"), elsewhere },
  [`POST ${id}/confirm`]: { status: 200, prepare: asked, elsewhere },
  [`POST ${id}/rotate-secret`]: {
    status: 200,
    prepare: integration("/rotate-secret", { url: "http://127.0.0.1:1/rotated" }),
    elsewhere
  },
  [`POST ${id}/redeliver`]: {
    status: 202,
    prepare: Effect.flatMap(event, (event_id) => integration("/redeliver", { event_id })),
    after: forgetEvents,
    elsewhere
  }
}
