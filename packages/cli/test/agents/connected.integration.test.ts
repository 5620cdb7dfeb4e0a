import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { acme, succeeded } from "./acme.ts"
import { initialize } from "./messages.ts"
import { rawBridge } from "./Stdio.ts"

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "portico mcp as a client starts it after portico agents connect",
  (it) => {
    it.effect("the agent uses its own credential alone, despite its client's environment", () =>
      Effect.gen(function* () {
        const { agents, env, owner, portico, stateOf, token } = yield* acme
        const { stderr } = yield* portico("agents connect cursor")
        assert.notInclude(stderr, token)
        const bridge = yield* rawBridge(env, ["--profile", "agent-cursor"])
        yield* bridge.say(initialize())
        assert.isObject((yield* bridge.answer(0)).result)
        yield* bridge.say({ jsonrpc: "2.0", method: "notifications/initialized" })
        yield* bridge.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "identity_whoami" } })
        const { credential_id, tier } = (yield* bridge.answer(1)).result.structuredContent
        assert.strictEqual(credential_id, agents()["agent-cursor"].agent.credential_id)
        assert.strictEqual(tier, 0)

        const { stdout } = yield* portico("agents list")
        const row = JSON.parse(stdout).find((_: { credential_id: string }) => _.credential_id === credential_id)
        assert.deepInclude(row, { connected_as: "agent-cursor", state: "active", refused: 0 })
        assert.includeMembers(Object.keys(row), ["last_tool", "last_call_at", "calls"])
        const log = JSON.parse((yield* portico("agents log --limit 1")).stdout)
        assert.deepInclude(log[0], { tool: "identity_whoami", outcome: "succeeded", agent: row.label })

        // Ended, and connected again: the program goes on without a restart.
        const ended = yield* owner("agents end --yes")
        succeeded(ended)
        assert.deepInclude(JSON.parse(ended.stdout), { ended: 1 })
        assert.match(ended.stderr, /1 agent is ended: \d{4}-.* people have to log in anew/)
        assert.notStrictEqual(yield* stateOf(credential_id), "active")
        const states = (yield* portico("agents list --include-revoked --query [].[credential_id,state]")).stdout
        assert.deepInclude(JSON.parse(states), [credential_id, "revoked"])
        yield* bridge.say({ jsonrpc: "2.0", id: 2, method: "ping" })
        const refused = yield* bridge.answer(2)
        assert.include(refused.error.message, "onnect it again with 'portico agents connect cursor'")
        succeeded(yield* portico("agents connect cursor"))
        yield* bridge.say({ jsonrpc: "2.0", id: 3, method: "ping" })
        const again = yield* bridge.answer(3)
        assert.isObject(again.result, JSON.stringify(again))
      })
    )
  }
)
