import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { everyRow } from "../harness/everyRow.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { initialize, opened, post, type Posted, request, stateless, statelessMeta } from "./wire.ts"

interface Refused extends Omit<Posted, "session"> {
  readonly status: number
  readonly body?: unknown
  /** A session of the caller's own, or this one. */
  readonly session?: "own" | "no-session"
}

const list = request("tools/list")
const listed = request("tools/list", statelessMeta)
const whoami = request("tools/call", { name: "identity_whoami", ...statelessMeta })

const refused: Readonly<Record<string, Refused>> = {
  "an Accept header without JSON": { status: 406, body: initialize(), headers: { accept: "text/html" } },
  "a message without its session": { status: 400, body: list },
  "a notification without its session": {
    status: 400,
    body: { jsonrpc: "2.0", method: "notifications/initialized" }
  },
  "a batch that opens a session": { status: 400, body: [initialize(), request("ping", {}, 2)] },
  "an unknown session": { status: 404, body: list, session: "no-session" },
  "initialize within a session": { status: 400, body: initialize(), session: "own" },
  "an empty batch": { status: 400, body: [], session: "own" },
  "an unknown revision": {
    status: 400,
    body: list,
    session: "own",
    headers: { "mcp-protocol-version": "1999-01-01" }
  },
  "a DELETE without a session": { status: 400, method: "DELETE" },
  "a GET": { status: 405, method: "GET", session: "own" },
  "no metadata, without sessions": { status: 400, body: list, headers: stateless("tools/list") },
  "a batch, without sessions": { status: 400, body: [listed], headers: stateless("tools/list") },
  "another method in the header": { status: 400, body: listed, headers: stateless("tools/call") },
  "another name in the header": { status: 400, body: whoami, headers: stateless("tools/call", "other") },
  "an unknown method": { status: 404, body: request("nope", statelessMeta), headers: stateless("nope") }
}

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("a refusal", (it) => {
  it.effect("has a message in JSON for every reason", () =>
    everyRow(
      Object.entries(refused).map(([what, { body, session, status, ...posted }]) => [
        what,
        Effect.gen(function* () {
          const { agentUrl } = yield* TestGateway
          const { acme } = yield* Cast
          const token = acme.tokens[0]
          const id = session === "own" ? yield* opened(agentUrl, token) : session
          const answer = yield* post(agentUrl, body, { ...posted, token, session: id })
          assert.strictEqual(answer.status, status, answer.text)
          assert.strictEqual(answer.headers["content-type"], "application/json")
          const { detail, error } = jsonOf(answer)
          assert.match(detail ?? error.message, /\w+ \w+/)
        })
      ])
    )
  )
})
