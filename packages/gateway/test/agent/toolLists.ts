import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Cast, mint, person } from "../harness/Cast.ts"
import { send } from "../harness/http.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** A request of the revision without sessions. */
export const stateless = (method: string, params: object = {}) => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "story", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {}
  }
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method
  }
  return { headers, body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } } }
}

/** The answer to `tools/list` as it goes over the wire. */
export const overTheWire = Effect.fnUntraced(function* (token: string, search = "") {
  const { agentUrl } = yield* TestGateway
  const { origin, pathname } = new URL(agentUrl)
  const answer = yield* send(origin, "POST", `${pathname}${search}`, { token, ...stateless("tools/list") })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.text
})

/** The lists as they go over the wire, by who gets them. */
export const texts = Effect.fnUntraced(function* (name: string) {
  const { acme } = yield* Cast
  const owner = yield* person(name, ["customer-owner"], acme.projectId, "customer-owner")
  const { pat: reader } = yield* mint(owner, 0, "reads", { kind: "mcp" })
  const { pat: writer } = yield* mint(owner, 1, "writes", { kind: "mcp" })
  return {
    "tier 0": yield* overTheWire(reader),
    "tier 0, all areas": yield* overTheWire(reader, "?areas=all"),
    "tier 1": yield* overTheWire(writer),
    "an owner": yield* overTheWire(owner)
  }
})
