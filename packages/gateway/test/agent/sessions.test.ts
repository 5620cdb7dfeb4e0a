import { assert, layer } from "@effect/vitest"
import { inTime, settle, until } from "@portico/testing/clock"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Cast, mint } from "../harness/Cast.ts"
import { rawClient } from "../harness/RawClient.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { SessionBounds } from "@portico/gateway/agent/sessions/Sessions"
import { TestClock } from "effect/testing"
import { initialize, opened, post, request, stateless, statelessMeta } from "./wire.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** Another gateway on the same store, until the scope ends. */
const replica = Effect.map(Layer.build(TestGateway.replica), (_) => Context.get(_, TestGateway))

const whoami = request("tools/call", { name: "identity_whoami", arguments: {} })

const worksAt = Effect.fnUntraced(function* (agentUrl: string, token: string, session: string) {
  const answer = yield* post(agentUrl, whoami, { token, session })
  assert.strictEqual(answer.status, 200, answer.text)
  assert.deepInclude(jsonOf(answer).result.structuredContent, { tier: 0 })
})

const isGone = Effect.fnUntraced(function* (agentUrl: string, token: string, session: string) {
  for (const method of ["POST", "DELETE"]) {
    const answer = yield* post(agentUrl, method === "POST" ? whoami : undefined, { token, session, method })
    assert.deepStrictEqual([answer.status, jsonOf(answer).error.code], [404, -32001])
  }
})

/** A request whose answer is a stream, on a connection of its own. */
const streaming = Effect.fnUntraced(function* (agentUrl: string, token: string, body: object, headers: object) {
  const client = yield* rawClient(agentUrl)
  const text = JSON.stringify(body)
  const lines = Object.entries({
    host: new URL(agentUrl).host,
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    ...headers
  }).map(([name, value]) => `${name}: ${value}`)
  yield* client.send(`POST /mcp HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${text}`)
  return client
})

const listen = request("subscriptions/listen", { notifications: { toolsListChanged: true }, ...statelessMeta })

/** A call that waits for the DNS service, which does not answer. */
const hanging = Effect.fnUntraced(function* <A, E, R>(call: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  yield* cloud.clearCalls
  yield* cloud.fault({ service: "designate", method: "GET", path: "/**", times: "always", when: "before", as: "hang" })
  const waiting = yield* Effect.forkChild(call)
  yield* until(Effect.map(cloud.calls, (_) => _.some((call) => call.service === "designate")))
  return waiting
})

layer(Everything)("sessions of agents", (it) => {
  it.effect("work at each replica in turn, and after a restart", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      const session = yield* opened(agentUrl, token)
      const scope = yield* Scope.make()
      const second = yield* Scope.provide(replica, scope)
      for (const url of [second.agentUrl, agentUrl, second.agentUrl, agentUrl]) yield* worksAt(url, token, session)
      const fromSecond = yield* opened(second.agentUrl, token)
      yield* worksAt(agentUrl, token, fromSecond)
      yield* Scope.close(scope, Exit.void)
      const third = yield* replica
      yield* worksAt(third.agentUrl, token, session)
      yield* worksAt(third.agentUrl, token, fromSecond)
    }).pipe(Effect.scoped)
  )

  it.effect("keep the negotiated revision, and the client's capabilities", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      const second = yield* replica
      for (const version of ["2025-03-26", "2025-11-25"]) {
        const session = yield* opened(agentUrl, token, initialize(version))
        const answer = yield* post(second.agentUrl, request("ping"), { token, session })
        assert.strictEqual(answer.headers["mcp-protocol-version"], version)
        const batch = yield* post(second.agentUrl, [request("ping"), request("ping", {}, 2)], { token, session })
        assert.strictEqual(batch.status, version === "2025-03-26" ? 200 : 400)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("of another user, or with a forged or changed id are not found", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const session = yield* opened(agentUrl, acme.tokens[0])
      yield* isGone(agentUrl, globex.tokens[0], session)
      // A credential is a user of its own.
      yield* isGone(agentUrl, acme.tokens[1], session)
      for (const id of [
        "x",
        `${session}A`,
        `${session.startsWith("A") ? "B" : "A"}${session.slice(1)}`,
        session.slice(0, -2),
        crypto.randomUUID()
      ]) {
        yield* isGone(agentUrl, acme.tokens[0], id)
      }
      yield* worksAt(agentUrl, acme.tokens[0], session)
    })
  )

  it.effect("are opaque, and fit into a header with any client info", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      const capabilities = { experimental: { much: { text: "x".repeat(20_000) } }, elicitation: {} }
      const session = yield* opened(agentUrl, token, initialize("2025-06-18", { capabilities }))
      assert.isBelow(session.length, 4097)
      assert.match(session, /^[\w-]+$/)
      assert.notInclude(Buffer.from(session, "base64url").toString("latin1"), "elicitation")
      yield* worksAt((yield* replica).agentUrl, token, session)
      const clientInfo = { name: "x".repeat(5_000), version: "1" }
      const tooLong = yield* post(agentUrl, initialize("2025-06-18", { clientInfo }), { token })
      assert.deepStrictEqual([tooLong.status, jsonOf(tooLong).error.code], [400, -32602])
    }).pipe(Effect.scoped)
  )

  it.effect("end by DELETE", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      const session = yield* opened(agentUrl, token)
      assert.strictEqual((yield* post(agentUrl, undefined, { token, session, method: "DELETE" })).status, 204)
      yield* isGone(agentUrl, token, session)
      assert.strictEqual((yield* post(agentUrl, undefined, { token, method: "DELETE" })).status, 400)
    })
  )

  it.effect("end a running call with their credential: 401", () =>
    Effect.gen(function* () {
      const { agentUrl, call } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const { credential_id, pat } = yield* mint(acme.tokens[2], 0, "short-lived")
      const session = yield* opened(agentUrl, pat)
      const zones = request("tools/call", { name: "dns_zones", arguments: {} })
      const waiting = yield* hanging(post(agentUrl, zones, { token: pat, session }))
      // News of the tools, which are looked for once a second, make no stream of it: no client listens.
      yield* mint(acme.tokens[2], 0, "another")
      yield* TestClock.adjust("2 seconds")
      yield* settle
      yield* call("customer", "DELETE", `/v1/credentials/${credential_id}`, { token: acme.tokens[2] })
      const refused = yield* post(agentUrl, whoami, { token: pat, session })
      assert.deepStrictEqual([refused.status, jsonOf(refused).code], [401, "credential_revoked"])
      const cut = yield* inTime(Fiber.join(waiting))
      assert.deepStrictEqual([cut.status, jsonOf(cut).code], [401, "credential_revoked"])
      yield* cloud.clearFaults
    })
  )

  it.effect("a call is cancelled over the wire", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const token = acme.tokens[0]
      const session = yield* opened(agentUrl, token)
      const zones = request("tools/call", { name: "dns_zones", arguments: {} }, "to-cancel")
      const waiting = yield* hanging(post(agentUrl, zones, { token, session }))
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "to-cancel" } }
      assert.strictEqual((yield* post(agentUrl, cancelled, { token, session })).status, 202)
      const answer = yield* inTime(Fiber.join(waiting))
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
      yield* cloud.clearFaults
    })
  )

  // The last one: while a client listens, the answer to another call may become a stream.
  it.effect("end a stream with their credential, and give the reason", () =>
    Effect.gen(function* () {
      const { agentUrl, call } = yield* TestGateway
      const { acme } = yield* Cast
      const { credential_id, pat } = yield* mint(acme.tokens[2], 0, "short-lived")
      const stream = yield* streaming(agentUrl, pat, listen, stateless("subscriptions/listen"))
      yield* stream.has("notifications/subscriptions/acknowledged")
      yield* call("customer", "DELETE", `/v1/credentials/${credential_id}`, { token: acme.tokens[2] })
      yield* inTime(stream.has(": ended: Credential has been revoked"))
      yield* stream.has("\r\n0\r\n\r\n")
    })
  )

  it.effect("end a stream when the tenant switches its agents off", () =>
    Effect.gen(function* () {
      const { agentUrl, call } = yield* TestGateway
      const { acme, customerOwner } = yield* Cast
      const switched = (enabled: boolean) =>
        call("customer", "PUT", "/v1/agents/policy", { token: customerOwner, body: { enabled } })
      const { pat } = yield* mint(acme.tokens[2], 0, "switched-off")
      const stream = yield* streaming(agentUrl, pat, listen, stateless("subscriptions/listen"))
      yield* stream.has("notifications/subscriptions/acknowledged")
      assert.strictEqual((yield* switched(false)).status, 200)
      yield* inTime(stream.has(": ended: "))
      yield* stream.has("\r\n0\r\n\r\n")
      assert.strictEqual((yield* switched(true)).status, 200)
    })
  )
})

const Few = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layer),
  Layer.provide(Layer.succeed(SessionBounds, { age: 3_600_000, idle: 300_000, inAll: 100, ofOne: 60 }))
)

/** A metric of the gateway without labels. */
const metric = Effect.fnUntraced(function* (name: string) {
  const { call } = yield* TestGateway
  const { text } = yield* call("operator", "GET", "/metrics")
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1])
})

layer(Few)("hundreds of sessions", (it) => {
  it.effect("use the memory of a few, and are restored when they are used", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const token = acme.tokens[0]
      const theirs = yield* opened(agentUrl, globex.tokens[0])
      const sessions = yield* Effect.forEach(Array.from({ length: 300 }), () => opened(agentUrl, token), {
        concurrency: 8
      })
      assert.strictEqual(yield* metric("portico_agent_sessions"), 61)
      assert.strictEqual(yield* metric("portico_agent_sessions_replayed_total"), 0)
      // Another tenant's flood does not push this one out.
      yield* worksAt(agentUrl, globex.tokens[0], theirs)
      assert.strictEqual(yield* metric("portico_agent_sessions_replayed_total"), 0)
      const some = sessions.slice(0, 200).filter((_, i) => i % 20 === 0)
      yield* Effect.forEach(some, (_) => worksAt(agentUrl, token, _))
      assert.strictEqual(yield* metric("portico_agent_sessions"), 61)
      assert.strictEqual(yield* metric("portico_agent_sessions_replayed_total"), 10)
      // Requests that arrive together share one.
      const [first = ""] = sessions.slice(155)
      yield* Effect.forEach([1, 2, 3, 4], () => worksAt(agentUrl, token, first), { concurrency: 4 })
      assert.strictEqual(yield* metric("portico_agent_sessions_replayed_total"), 11)
    })
  )
})

layer(Few)("expiring sessions", (it) => {
  it.effect("leave the memory when they are idle, and end at their maximum age", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      const session = yield* opened(agentUrl, token)
      assert.strictEqual(yield* metric("portico_agent_sessions"), 1)
      yield* TestClock.adjust("7 minutes")
      assert.strictEqual(yield* metric("portico_agent_sessions"), 0)
      yield* worksAt(agentUrl, token, session)
      yield* TestClock.adjust("53 minutes")
      yield* isGone(agentUrl, token, session)
    })
  )
})
