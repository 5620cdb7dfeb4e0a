import { assert, layer } from "@effect/vitest"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { initialize, opened, post, request, stateless } from "./wire.ts"

const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), RATE_LIMIT_RPM_DISCOVERY: "600" })))
  ),
  Layer.provideMerge(TestGateway.cloud)
)

const json = { "content-type": "application/json" }

const call = (name: string, given: unknown = {}, id = 1) => request("tools/call", { name, arguments: given }, id)

const aSession = Effect.gen(function* () {
  const { agentUrl, call: api } = yield* TestGateway
  const { acme } = yield* Cast
  const token = acme.tokens[1]
  const session = yield* opened(agentUrl, token, initialize("2025-03-26"))
  const calls = Effect.map(
    api("customer", "GET", "/v1/events?topic=agent.actions&limit=1000", { token }),
    (_): ReadonlyArray<{ readonly data: Readonly<Record<string, unknown>> }> => jsonOf(_).events
  )
  return {
    agentUrl,
    token,
    session,
    send: (body: unknown) => post(agentUrl, body, { token, session, headers: json }),
    calls,
    /** The tenant's newest tool call. */
    last: Effect.map(calls, (_) => _.at(-1)?.data),
    buckets: Effect.map(
      api("customer", "GET", "/v1/object-storage/buckets", { token }),
      (_): ReadonlyArray<unknown> => jsonOf(_).buckets
    ),
    left: Effect.map(api("customer", "GET", "/v1/whoami", { token }), ({ headers }) =>
      Number(headers["ratelimit-remaining"])
    )
  }
})

layer(Everything, { excludeTestServices: true })("a hostile client", (it) => {
  it.effect("cannot open an uncounted session with any headers", () =>
    Effect.gen(function* () {
      const { agentUrl, send, token } = yield* aSession
      for (const headers of [{ "mcp-protocol-version": "2026-07-28" }, stateless("initialize")]) {
        const answer = yield* post(agentUrl, initialize("2025-03-26"), { token, session: "any", headers })
        const session = answer.headers["mcp-session-id"]
        // The library's own ids are UUIDs, and no request can use them.
        const used = yield* post(agentUrl, request("ping"), { token, session })
        assert.strictEqual(used.status, 200, `${session}: ${used.text}`)
      }
      assert.strictEqual((yield* send([initialize("2025-03-26")])).status, 400)
    })
  )

  it.effect("may send one byte order mark, as to the API; with two its body is malformed", () =>
    Effect.gen(function* () {
      const { agentUrl, token } = yield* aSession
      const { call: api } = yield* TestGateway
      const mark = "\uFEFF"
      const marked = (marks: string) =>
        post(agentUrl, `${marks}${JSON.stringify(initialize("2025-03-26"))}`, { token, headers: json })
      const sessions = Effect.map(api("operator", "GET", "/metrics"), ({ text }) =>
        Number(/^portico_agent_sessions (\d+)$/m.exec(text)?.[1])
      )
      const before = yield* sessions
      const one = yield* marked(mark)
      const session = one.headers["mcp-session-id"]
      assert.strictEqual(one.status, 200, one.text)
      assert.strictEqual(yield* sessions, before + 1)
      const used = yield* post(agentUrl, request("ping"), { token, session })
      assert.strictEqual(used.status, 200, used.text)

      const two = yield* marked(mark + mark)
      assert.isUndefined(two.headers["mcp-session-id"], two.text)
      assert.deepStrictEqual([two.status, jsonOf(two).error.code], [400, -32700])
      assert.strictEqual(yield* sessions, before + 1)

      const body = JSON.stringify({ kind: "api-key", tier: 0, label: "marked" })
      for (const [marks, status] of [
        [mark, 201],
        [mark + mark, 422]
      ] as const) {
        const answer = yield* api("customer", "POST", "/v1/credentials", {
          token: (yield* Cast).acme.tokens[2],
          body: `${marks}${body}`,
          headers: json
        })
        assert.strictEqual(answer.status, status, answer.text)
      }
    })
  )

  it.effect("pays for tool calls that it sends as notifications", () =>
    Effect.gen(function* () {
      const { left, send } = yield* aSession
      const { id: _, ...notification } = call("identity_whoami", { unknown: 1 })
      const before = yield* left
      yield* send(Array.from({ length: 20 }, () => notification))
      // The bucket fills again meanwhile, by ten a second.
      assert.isAtLeast(before - (yield* left), 10)
    })
  )

  it.effect("sends no deeper JSON in a batch than alone", () =>
    Effect.gen(function* () {
      const { send } = yield* aSession
      const text = JSON.stringify(call("identity_whoami", { x: 7 }))
      const deep = text.replace('"x":7', `"x":${"[".repeat(80)}${"]".repeat(80)}`)
      for (const body of [deep, `[${deep}]`]) {
        const { status, text } = yield* send(body)
        assert.deepStrictEqual([status, JSON.parse(text).code], [400, "body_too_deep"])
      }
    })
  )

  it.effect("sends no more values in a batch than alone, and any number of commas in a text", () =>
    Effect.gen(function* () {
      const { send } = yield* aSession
      const text = JSON.stringify(call("identity_whoami", { x: 7 }))
      const many = text.replace('"x":7', Array.from({ length: 4000 }, (_, n) => `"x${n}":7`).join())
      for (const body of [many, `[${many}]`, `[${text},${many}]`]) {
        const { status, text } = yield* send(body)
        assert.deepStrictEqual([status, JSON.parse(text).code], [413, "too_many_values"])
      }
      const commas = yield* send(text.replace('"x":7', `"x":"${",[".repeat(10_000)}"`))
      assert.strictEqual(commas.status, 200)
    })
  )

  it.effect("names at most a hundred fields of an answer", () =>
    Effect.gen(function* () {
      const { send } = yield* aSession
      const naming = (...fields: ReadonlyArray<string>) =>
        Effect.map(send(call("credentials_list", { fields: fields.join() })), (_) => jsonOf(_).result)
      const many = yield* naming(...Array.from({ length: 101 }, (_, n) => `f${n}`))
      assert.isTrue(many.isError)
      assert.include(many.content[0].text, "at most 100 fields")
      assert.isFalse((yield* naming(...Array.from({ length: 10_000 }, () => "label"))).isError)
    })
  )

  it.effect("sends at most 20 messages at once", () =>
    Effect.gen(function* () {
      const { send } = yield* aSession
      const batch = (length: number) => Array.from({ length }, (_, n) => request("ping", {}, n + 1))
      assert.strictEqual((yield* send(batch(20))).status, 200)
      assert.deepStrictEqual(jsonOf(yield* send(batch(21))).error.message, "A batch has at most 20 messages")
    })
  )

  it.effect("leaves a record of a call to an unknown tool, without the name it sent", () =>
    Effect.gen(function* () {
      const { last, send } = yield* aSession
      const nowhere = yield* send(call("hunter2", { label: "x", "a value": 1 }))
      assert.strictEqual(jsonOf(nowhere).error.code, -32602)
      const unknown = { tool: "unknown", arguments: ["label"], outcome: "refused", status: null, code: "unknown_tool" }
      assert.deepInclude(yield* last, unknown)
      for (const given of ["text", [1], null]) {
        yield* send([call("alarms_list", given)])
        const invalid = { tool: "alarms_list", arguments: [], outcome: "refused", code: "invalid_arguments" }
        assert.deepInclude(yield* last, invalid)
      }
      yield* send(call("__proto__"))
      assert.deepInclude(yield* last, unknownOnly)
    })
  )

  it.effect("gets nothing done by a malformed envelope, alone or in a batch, and leaves a record each", () =>
    Effect.gen(function* () {
      const { buckets, calls, send } = yield* aSession
      const made = (name: string) => call("object_storage_create_bucket", { name })
      const flawed = (message: object) => ({ ...made("flawed"), ...message })
      const meta = (_meta: unknown) => ({ params: { name: "object_storage_create_bucket", arguments: {}, _meta } })
      for (const [body, count] of [
        [flawed({ id: null }), 1],
        [flawed({ id: { a: 1 } }), 1],
        [flawed(meta("x")), 1],
        [flawed(meta([])), 1],
        [flawed(meta({ progressToken: {} })), 1],
        [[flawed({ id: null })], 1],
        [[made("one"), made("two")], 2],
        [[made("one"), call("identity_whoami", {}, 2), made("three")], 3]
      ] as const) {
        const before = (yield* calls).length
        const answer = yield* send(body)
        assert.deepStrictEqual([answer.status, jsonOf(answer).error.code], [400, -32600], answer.text)
        const records = (yield* calls).slice(before)
        assert.lengthOf(records, count, JSON.stringify(body))
        for (const { data } of records) assert.deepInclude(data, { outcome: "refused", code: "invalid_arguments" })
      }
      assert.deepStrictEqual(yield* buckets, [])
      const fine = yield* send([call("identity_whoami", {}, 1), call("identity_whoami", {}, 2)])
      assert.strictEqual(fine.status, 200, fine.text)
    })
  )

  it.effect("gets the API's 422 for arguments of a wrong type or length", () =>
    Effect.gen(function* () {
      const { last, send } = yield* aSession
      const noText = { toString: null, valueOf: null }
      const long = "a".repeat(20_000)
      for (const [name, given] of [
        ["plan_apply", { plan_id: noText }],
        ["credentials_mint", { kind: "mcp", tier: 0, label: "x", idempotency_key: noText }],
        ["compute_read", { path: `servers/${long}` }],
        ["compute_write", { method: "PUT", path: `servers/${long}`, body: {} }],
        ["alarms_list", { cursor: long }]
      ] as const) {
        const { result } = jsonOf(yield* send(call(name, given)))
        assert.strictEqual(result?.isError, true, name)
        assert.include(result.content[0].text, '"code":"validation_error"')
        assert.deepInclude(yield* last, { tool: name, outcome: "refused", status: 422 })
      }
    })
  )

  it.effect("is refused with an empty Origin header", () =>
    Effect.gen(function* () {
      const { agentUrl, token } = yield* aSession
      const answer = yield* post(agentUrl, initialize(), { token, headers: { origin: "" } })
      assert.strictEqual(answer.status, 403, answer.text)
    })
  )
})

const unknownOnly = { tool: "unknown", outcome: "refused", code: "unknown_tool" }
