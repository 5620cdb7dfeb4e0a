import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { initialize, initialized } from "./messages.ts"
import { rawBridge, stdioClient } from "./Stdio.ts"

/** Acme's agent: the gateway and a token stand in the environment. */
const acme = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { agentUrl, url } = yield* TestGateway
  return { PORTICO_URL: url.customer, PORTICO_AGENT_URL: agentUrl, PORTICO_TOKEN: acme.tokens[1] }
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "portico mcp at the gateway",
  (it) => {
    it.effect("lists and calls tools for a client of the official SDK, and ends with its standard input", () =>
      Effect.gen(function* () {
        const { client, connected, transport } = yield* stdioClient(yield* acme)
        yield* connected
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.include(
          tools.map((_) => _.name),
          "identity_whoami"
        )
        const { structuredContent } = yield* Effect.promise(() => client.callTool({ name: "identity_whoami" }))
        assert.deepInclude(structuredContent, { tier: 1 })
        const { pid } = transport
        assert.isNumber(pid)
        yield* Effect.promise(() => client.close())
        assert.throws(() => process.kill(pid ?? 0, 0), "ESRCH")
      })
    )

    it.effect("speaks the revision without sessions too", () =>
      Effect.gen(function* () {
        const { answer, close, ended, say, stderr } = yield* rawBridge(yield* acme)
        const _meta = {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "story", version: "1.0.0" }
        }
        yield* say({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } })
        yield* say({ jsonrpc: "2.0", id: "two", method: "tools/call", params: { name: "identity_whoami", _meta } })
        const list = yield* answer(1)
        assert.isArray(list.result?.tools, JSON.stringify(list))
        const called = yield* answer("two")
        assert.strictEqual(called.result?.structuredContent?.tier, 1, JSON.stringify(called))
        yield* close
        assert.strictEqual(yield* ended, 0, stderr())
      })
    )

    it.effect("answers a refused token with an error that says how to log in, and keeps running", () =>
      Effect.gen(function* () {
        const { answer, close, ended, lines, say, stderr } = yield* rawBridge({
          ...(yield* acme),
          PORTICO_TOKEN: "unknown"
        })
        yield* say(initialize())
        const refused = yield* answer(0)
        assert.strictEqual(refused.error.data.status, 401)
        assert.include(refused.error.message, "Set another PORTICO_TOKEN.")
        yield* say(initialize(1))
        assert.strictEqual((yield* answer(1)).error.data.status, 401)
        yield* close
        assert.strictEqual(yield* ended, 0, stderr())
        assert.strictEqual(lines().length, 2)
      })
    )

    it.effect("answers malformed JSON and a failed network with an error to that message alone", () =>
      Effect.gen(function* () {
        const env = { ...(yield* acme), PORTICO_AGENT_URL: "http://127.0.0.1:2/mcp" }
        const { answer, lines, say, write } = yield* rawBridge(env)
        yield* say("{")
        yield* say(initialized)
        yield* say(initialize(7))
        assert.match((yield* answer(7)).error.message, /^The agent plane cannot be reached: .*ECONNREFUSED/)
        assert.deepStrictEqual(JSON.parse(lines()[0] ?? ""), {
          jsonrpc: "2.0",
          id: null,
          error: { code: -32700, message: "Parse error" }
        })
        yield* say(initialize(8))
        assert.strictEqual((yield* answer(8)).error.code, -32011)
        // JSON in Latin-1 would reach the gateway with other characters.
        const before = lines().length
        yield* write(Buffer.from(`${JSON.stringify({ ...initialize(9), method: "ä" })}\n`, "latin1"))
        yield* say(initialize("ä"))
        assert.strictEqual((yield* answer("ä")).error.code, -32011)
        assert.strictEqual(lines()[before], lines()[0])
      })
    )

    it.effect("ends at once on SIGTERM", () =>
      Effect.gen(function* () {
        const { answer, child, ended, say } = yield* rawBridge(yield* acme)
        yield* say(initialize())
        assert.isObject((yield* answer(0)).result)
        yield* say(initialized)
        child.kill("SIGTERM")
        assert.strictEqual(yield* ended, 130)
      })
    )
  }
)
