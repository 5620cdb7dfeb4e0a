import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { assert, layer } from "@effect/vitest"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { send } from "../harness/http.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { clientInfo, initialize, opened, post, request, stateless, statelessMeta } from "./wire.ts"

const page = "https://app.example.com"

const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.map(Server, ({ url }) => ({
        ...gatewaySettings(url),
        AGENT_ALLOWED_ORIGINS: `${page}, https://b.example`
      }))
    )
  ),
  Layer.provideMerge(TestGateway.cloud)
)

/** Requests that the tenant may still make at once, as an answer says. */
const left = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
  Number(headers["ratelimit-remaining"])

/** Accept headers, and whether JSON is an answer to them (RFC 9110, section 12.5.1). */
const accepting: ReadonlyArray<readonly [accept: string, isServed: boolean]> = [
  ["application/json, text/event-stream", true],
  ["text/event-stream, application/json", true],
  ["application/json", true],
  ["*/*", true],
  ["application/*", true],
  ["*", true],
  ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", true],
  ["Application/JSON;charset=utf-8", true],
  ["application/json;q=0.5, text/event-stream;q=1", true],
  ["application/json ; q=0.001", true],
  ["text/*, application/json", true],
  ["*/*;q=0, application/json", true],
  ["application/*;q=0, application/json;q=0.1", true],
  ["", true],
  ["application/json;q=0, */*", false],
  ["application/json;q=0.000", false],
  ["application/*;q=0, */*;q=0.5", false],
  ["*/*;q=0", false],
  ["text/html", false],
  ["text/*", false],
  ["text/event-stream", false],
  ["application/jsonx, application/json-seq", false]
]

layer(Everything, { excludeTestServices: true })("the agent plane's transport", (it) => {
  for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    it.effect(`${version}: initialize, list and call with the official client`, () =>
      Effect.gen(function* () {
        const { agentUrl } = yield* TestGateway
        const { acme } = yield* Cast
        yield* Effect.promise(async () => {
          const requestInit = { headers: { authorization: `Bearer ${acme.tokens[0]}` } }
          const transport = new StreamableHTTPClientTransport(new URL(agentUrl), {
            requestInit,
            // The client offers its newest revision; the others are offered by what it sends.
            fetch: (url, init) => {
              const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined
              if (body?.method !== "initialize") return fetch(url, init)
              const params = { ...body.params, protocolVersion: version }
              return fetch(url, { ...init, body: JSON.stringify({ ...body, params }) })
            }
          })
          const client = new Client(clientInfo)
          await client.connect(transport)
          assert.strictEqual(transport.protocolVersion, version)
          assert.isAbove((await client.listTools()).tools.length, 20)
          const { structuredContent } = await client.callTool({ name: "identity_whoami" })
          // Structured content is younger than the first two revisions.
          if (version >= "2025-06-18") assert.deepInclude(structuredContent, { tier: 0 })
          await client.ping()
          await transport.terminateSession()
          await client.close()
        })
      })
    )
  }

  it.effect("2026-07-28: a call without a session ignores a session id", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      for (const session of [undefined, "no-session"]) {
        const params = { name: "identity_whoami", arguments: {}, ...statelessMeta }
        const answer = yield* post(agentUrl, request("tools/call", params), {
          token: acme.tokens[0],
          session,
          headers: stateless("tools/call", "identity_whoami")
        })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepInclude(jsonOf(answer).result.structuredContent, { tier: 0 })
        assert.isUndefined(answer.headers["mcp-session-id"])
      }
    })
  )

  it.effect("a request without a valid token is a 401 that names the identity provider", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { expired, revoked } = yield* Cast
      const metadata = `${new URL(agentUrl).origin}/.well-known/oauth-protected-resource/mcp`
      for (const token of [undefined, "no-token", revoked, expired]) {
        for (const method of ["POST", "DELETE", "GET"]) {
          const answer = yield* post(agentUrl, method === "POST" ? initialize() : undefined, { token, method })
          assert.strictEqual(answer.status, 401)
          assert.strictEqual(
            answer.headers["www-authenticate"],
            `Bearer realm="portico", resource_metadata="${metadata}"`
          )
          assert.hasAllKeys(jsonOf(answer), ["detail", "code"])
          assert.match(answer.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
        }
      }
    })
  )

  it.effect("an unsupported request is refused with the API's codes", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      const { origin } = new URL(agentUrl)
      const long = yield* post(agentUrl, initialize("2025-06-18", { _meta: { long: "x".repeat(256 * 1024) } }), {
        token
      })
      assert.deepStrictEqual([long.status, jsonOf(long).code], [413, "body_too_large"])
      const deep = yield* post(
        agentUrl,
        initialize("2025-06-18", { _meta: JSON.parse(`${'{"a":'.repeat(80)}1${"}".repeat(80)}`) }),
        { token }
      )
      assert.deepStrictEqual([deep.status, jsonOf(deep).code], [400, "body_too_deep"])
      const form = yield* post(agentUrl, initialize(), { token, headers: { "content-type": "text/plain" } })
      assert.deepStrictEqual([form.status, jsonOf(form).code], [415, "unsupported_media_type"])
      const got = yield* post(agentUrl, undefined, { token, method: "GET" })
      assert.deepStrictEqual([got.status, jsonOf(got).code], [405, "method_not_allowed"])
      assert.strictEqual(got.headers["allow"], "DELETE, OPTIONS, POST")
      for (const path of ["/", "/mcp//", "/mcp/x", "/MCP", "/v1/whoami", "/openapi.json"]) {
        const nowhere = yield* send(origin, "GET", path, { token })
        assert.deepStrictEqual([nowhere.status, jsonOf(nowhere)], [404, { detail: "Not Found", code: "not_found" }])
      }
      for (const path of ["/health", "/health/live", "/health/ready"]) {
        assert.strictEqual((yield* send(origin, "GET", path)).status, 200)
      }
      const twice = yield* send(origin, "POST", "/mcp", { headers: { authorization: ["Bearer a", "Bearer b"] } })
      assert.deepStrictEqual([twice.status, jsonOf(twice).code], [400, "header_repeated"])
      const broken = yield* post(agentUrl, "{", { token, headers: { "content-type": "application/json" } })
      assert.strictEqual(jsonOf(broken).error.code, -32700)
    })
  )

  it.effect("every Accept header that allows JSON is served, and every other one is a 406", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      for (const [accept, isServed] of accepting) {
        const answer = yield* post(agentUrl, initialize(), { token, headers: { accept } })
        assert.strictEqual(answer.status, isServed ? 200 : 406, `${accept}: ${answer.text}`)
        if (isServed) assert.strictEqual(jsonOf(answer).result.serverInfo.name, "portico", accept)
        else {
          assert.deepStrictEqual(jsonOf(answer), {
            detail:
              "The answer is application/json, which the Accept header leaves out: send Accept: application/json, text/event-stream",
            code: "not_acceptable"
          })
        }
      }
      const session = yield* opened(agentUrl, token)
      const json = { token, session, headers: { accept: "application/json" } }
      const called = yield* post(agentUrl, request("tools/call", { name: "identity_whoami", arguments: {} }), json)
      assert.deepInclude(jsonOf(called).result.structuredContent, { tier: 0 })
      // What is only to be had as a stream is not given to a client that takes none.
      const listen = request("subscriptions/listen", { ...statelessMeta, notifications: { toolsListChanged: true } })
      const headers = { ...stateless("subscriptions/listen"), accept: "application/json" }
      const streamed = yield* post(agentUrl, listen, { token, headers })
      assert.deepStrictEqual([streamed.status, jsonOf(streamed).code], [406, "not_acceptable"])
      assert.match(jsonOf(streamed).detail, /^The answer is text\/event-stream, /)
    })
  )

  it.effect("the endpoint with a final slash is the same, for the official client too", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const { origin } = new URL(agentUrl)
      yield* Effect.promise(async () => {
        const requestInit = { headers: { authorization: `Bearer ${acme.tokens[0]}` } }
        const client = new Client(clientInfo)
        await client.connect(new StreamableHTTPClientTransport(new URL(`${agentUrl}/?areas=dns`), { requestInit }))
        assert.isAbove((await client.listTools()).tools.length, 20)
        await client.close()
      })
      const unknown = yield* post(`${agentUrl}/`, initialize())
      assert.strictEqual(unknown.status, 401)
      const wellKnown = "/.well-known/oauth-protected-resource/mcp"
      const [plain, slashed] = [yield* send(origin, "GET", wellKnown), yield* send(origin, "GET", `${wellKnown}/`)]
      assert.deepStrictEqual([slashed.status, slashed.text], [200, plain.text])
      assert.include(jsonOf(plain).resource, "/mcp")
    })
  )

  it.effect("every refusal about a session has a message", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      const session = yield* opened(agentUrl, token)
      const notification = { jsonrpc: "2.0", method: "notifications/initialized" }
      const wrong = { "mcp-protocol-version": "1999-01-01" }
      const refused = {
        "a request without a session": yield* post(agentUrl, request("tools/list"), { token }),
        "a notification without a session": yield* post(agentUrl, notification, { token }),
        "a request of an unknown session": yield* post(agentUrl, request("ping"), { token, session: "none" }),
        "a request of an unknown revision": yield* post(agentUrl, request("ping"), { token, session, headers: wrong }),
        "an end without a session": yield* post(agentUrl, undefined, { token, method: "DELETE" }),
        "an end of an unknown session": yield* post(agentUrl, undefined, { token, method: "DELETE", session: "none" }),
        "an end of an unknown revision": yield* post(agentUrl, undefined, {
          token,
          method: "DELETE",
          session,
          headers: wrong
        }),
        "a call without its headers": yield* post(agentUrl, request("tools/list", statelessMeta), {
          token,
          headers: { "mcp-protocol-version": "2026-07-28" }
        })
      }
      for (const [what, answer] of Object.entries(refused)) {
        assert.oneOf(answer.status, [400, 404], `${what}: ${answer.text}`)
        const { error } = jsonOf(answer)
        assert.isNumber(error.code, what)
        assert.isAbove(error.message.length, 10, what)
      }
      const ended = yield* post(agentUrl, undefined, { token, method: "DELETE", session })
      assert.deepStrictEqual([ended.status, ended.text], [204, ""])
    })
  )

  it.effect("browser pages are refused, except allowed origins", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      for (const origin of ["https://evil.example", "null", `${page}.evil.example`]) {
        const answer = yield* post(agentUrl, initialize(), { token, headers: { origin } })
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "origin_not_allowed"])
        assert.isUndefined(answer.headers["access-control-allow-origin"])
      }
      const asked = yield* post(agentUrl, undefined, {
        method: "OPTIONS",
        headers: { origin: page, "access-control-request-method": "POST" }
      })
      assert.strictEqual(asked.status, 204)
      assert.include(asked.headers["access-control-allow-headers"], "mcp-session-id")
      const answer = yield* post(agentUrl, initialize(), { token, headers: { origin: page } })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.headers["access-control-allow-origin"], page)
      assert.isDefined(answer.headers["mcp-session-id"])
    })
  )
})

const Poor = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), RATE_LIMIT_RPM_DISCOVERY: "60" })))
  ),
  Layer.provideMerge(TestGateway.cloud)
)

layer(Poor, { excludeTestServices: true })("a small allowance", (it) => {
  it.effect("each request counts once, in batches too, and a tool call is not counted twice", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[1]
      const session = yield* opened(agentUrl, token, initialize("2025-03-26"))
      const cost = Effect.fnUntraced(function* (body: unknown) {
        const before = left(yield* post(agentUrl, request("ping"), { token, session }))
        const answer = yield* post(agentUrl, body, { token, session })
        const after = left(yield* post(agentUrl, request("ping"), { token, session }))
        return { answer, taken: before - after - 1 }
      })
      const call = (name: string, id: number) => request("tools/call", { name, arguments: {} }, id)
      const whoami = yield* cost(call("identity_whoami", 1))
      assert.notStrictEqual(jsonOf(whoami.answer).result.isError, true)
      assert.strictEqual(whoami.taken, 1)
      assert.strictEqual((yield* cost(call("no_such_tool", 1))).taken, 1)
      assert.strictEqual((yield* cost(request("tools/list"))).taken, 1)
      assert.strictEqual((yield* cost({ jsonrpc: "2.0", method: "notifications/initialized" })).taken, 1)
      // Its plan shows what four reads tell: the flavor, the server, its present state, and the invoices.
      const resize = { method: "POST", path: "servers/0f/action", body: { resize: { flavorRef: "4" } } }
      const planned = yield* cost(request("tools/call", { name: "compute_write", arguments: resize }))
      assert.include(planned.answer.text, "plan_id")
      assert.strictEqual(planned.taken, 4)
      const batch = yield* cost([call("identity_whoami", 1), request("ping", {}, 2), call("identity_whoami", 3)])
      assert.strictEqual(batch.answer.status, 200)
      assert.strictEqual(batch.taken, 3)
      const long = yield* cost(Array.from({ length: 101 }, (_, id) => request("ping", {}, id)))
      assert.strictEqual(long.answer.status, 400)
    })
  )

  it.effect("exhausted, is a 429 with Retry-After before parsing, for every kind of message", () =>
    Effect.gen(function* () {
      const { agentUrl, call } = yield* TestGateway
      const { globex } = yield* Cast
      const token = globex.tokens[0]
      for (let i = 0; i < 70; i++) yield* post(agentUrl, request("ping"), { token })
      const messages = [initialize(), request("tools/list"), request("tools/call", { name: "identity_whoami" })]
      for (const message of [...messages, [request("ping"), request("ping")]]) {
        const answer = yield* post(agentUrl, message, { token })
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [429, "rate_limited"])
        assert.match(answer.headers["retry-after"] ?? "", /^\d+$/)
      }
      assert.strictEqual((yield* call("customer", "GET", "/v1/whoami", { token })).status, 429)
    })
  )
})
