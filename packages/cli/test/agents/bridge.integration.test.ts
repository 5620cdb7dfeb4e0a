import { assert, describe, it, layer } from "@effect/vitest"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Layer } from "effect"
import { eventually } from "../../../gateway/test/processes/children.ts"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { as, newHome } from "../session/home.ts"
import { scriptedPlane } from "./ScriptedPlane.ts"
import { initialize, initialized } from "./messages.ts"
import { rawBridge, stdioClient } from "./Stdio.ts"

const at = (url: string) => ({ PORTICO_URL: "http://127.0.0.1:2", PORTICO_AGENT_URL: url, PORTICO_TOKEN: "token" })

const call = (id: number | string, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} }
})

/** A bridge with a session. */
const open = Effect.gen(function* () {
  const plane = yield* scriptedPlane
  const bridge = yield* rawBridge(at(plane.url))
  yield* bridge.say(initialize())
  yield* bridge.answer(0)
  yield* bridge.say(initialized)
  return { ...bridge, plane }
})

const seen = (condition: () => boolean) =>
  eventually(Effect.suspend(() => (condition() ? Effect.void : Effect.fail("not yet"))))

describe("portico mcp", () => {
  it.live("relays the server's requests, and the client's answers back", () =>
    Effect.gen(function* () {
      const plane = yield* scriptedPlane
      const { client, connected } = yield* stdioClient(at(plane.url), [], { capabilities: { elicitation: {} } })
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }))
      yield* connected
      const { content } = yield* Effect.promise(() => client.callTool({ name: "ask", arguments: {} }))
      assert.deepStrictEqual(content, [{ type: "text", text: "decline" }])
      const progress: Array<number> = []
      const onprogress = (_: { progress: number }) => void progress.push(_.progress)
      yield* Effect.promise(() => client.callTool({ name: "progress", arguments: {} }, undefined, { onprogress }))
      assert.deepStrictEqual(progress, [1, 2])
      for (const { headers, message } of plane.posts.slice(1)) {
        assert.strictEqual(headers["mcp-session-id"], "session-1", message.method)
        assert.strictEqual(headers["mcp-protocol-version"], "2025-11-25", message.method)
      }
      yield* Effect.promise(() => client.close())
      yield* seen(() => plane.deleted.length === 1)
    }).pipe(Effect.scoped)
  )

  it.live("a slow call does not block others, and a cancelled one ends without an answer", () =>
    Effect.gen(function* () {
      const { answer, messages, plane, say } = yield* open
      yield* say(call(1, "slow"))
      yield* seen(() => plane.posts.some((_) => _.message.id === 1))
      yield* say({ jsonrpc: "2.0", id: 2, method: "ping" })
      assert.deepStrictEqual((yield* answer(2)).result, {})
      yield* say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      yield* seen(() => plane.state.aborted === 1)
      assert.isTrue(plane.posts.some((_) => _.message.method === "notifications/cancelled"))
      yield* say({ jsonrpc: "2.0", id: 3, method: "ping" })
      yield* answer(3)
      assert.isFalse(messages().some((_) => _.id === 1))
    }).pipe(Effect.scoped)
  )

  it.live("opens a new session once for concurrent calls when the server lost the old one", () =>
    Effect.gen(function* () {
      const { answer, messages, plane, say } = yield* open
      plane.state.sessions.clear()
      for (const id of [1, 2, 3]) yield* say(call(id, `tool-${id}`))
      for (const id of [1, 2, 3]) assert.strictEqual((yield* answer(id)).result.content[0].text, `tool-${id}`)
      assert.strictEqual(plane.state.opened, 2)
      assert.strictEqual(messages().filter((_) => _.id === 0).length, 1, "the client sees one handshake")
      assert.isTrue(messages().some((_) => _.method === "notifications/tools/list_changed"))
      const again = plane.posts.filter((_) => _.message.method === "notifications/initialized")
      assert.deepStrictEqual(
        again.map((_) => _.headers["mcp-session-id"]),
        ["session-1", "session-2"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("answers a call whose connection breaks with an error, and serves the next one", () =>
    Effect.gen(function* () {
      const { answer, plane, say } = yield* open
      yield* say(call(1, "breaks"))
      const { error } = yield* answer(1)
      assert.strictEqual(error.code, -32011)
      assert.include(error.message, "Whether the call did anything is not known")
      plane.state.limited = 1
      yield* say({ jsonrpc: "2.0", id: 2, method: "tools/list" })
      assert.isArray((yield* answer(2)).result.tools, "a read waits for Retry-After")
      plane.state.limited = 1
      yield* say(call(3, "any"))
      const limited = yield* answer(3)
      assert.deepInclude(limited.error.data, { status: 429, code: "rate_limited" })
      assert.include(limited.error.message, "Try again in 1 s.")
    }).pipe(Effect.scoped)
  )

  it.live("sends the headers that route a message of the sessionless revision", () =>
    Effect.gen(function* () {
      const { answer, plane, say } = yield* open
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
      yield* say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "grün", _meta } })
      yield* answer(1)
      const { headers } = plane.posts.find((_) => _.message.id === 1) ?? assert.fail()
      assert.deepInclude(headers, {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": `=?base64?${Buffer.from("grün").toString("base64")}?=`
      })
      assert.isUndefined(headers["mcp-session-id"])
    }).pipe(Effect.scoped)
  )

  it.live("exits when its standard input ends, even with calls in flight", () =>
    Effect.gen(function* () {
      const { close, ended, plane, say, stderr } = yield* open
      yield* say(call(1, "slow"))
      yield* seen(() => plane.posts.some((_) => _.message.id === 1))
      yield* close
      assert.strictEqual(yield* ended, 0, stderr())
      assert.deepStrictEqual(plane.deleted, ["session-1"])
    }).pipe(Effect.scoped)
  )
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("a login", (it) => {
  it.effect("is renewed when its token is refused, without the client noticing", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = yield* newHome
      const args = ["login", url.customer, "--browser", "--profile", "acme"]
      const login = yield* home.run(args, { browser: as("oscar@people.example") })
      assert.strictEqual(login.exit, 0, login.stderr)
      const plane = yield* scriptedPlane
      const env = { HOME: home.directory, PORTICO_AGENT_URL: plane.url }
      const { answer, say } = yield* rawBridge(env, ["--profile", "acme"])
      yield* say(initialize())
      yield* answer(0)
      yield* say(initialized)
      const { access_token } = home.kept("acme")
      plane.state.refused.add(`Bearer ${access_token}`)
      yield* say(call(1, "any"))
      assert.isObject((yield* answer(1)).result)
      assert.notStrictEqual(home.kept("acme").access_token, access_token)
      assert.strictEqual(plane.posts.at(-1)?.headers.authorization, `Bearer ${home.kept("acme").access_token}`)
    })
  )
})
