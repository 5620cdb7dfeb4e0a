import { assert, layer } from "@effect/vitest"
import { foldUsage } from "@portico/domain/credentials/usage"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Usage } from "@portico/store/Usage"
import { until } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"
import { receiver } from "../targets/Receiver.ts"

const settings = Effect.map(Server, ({ url }) => ({
  ...gatewaySettings(url),
  DELIVERIES_SECONDS: "0.2",
  WEBHOOK_ALLOW_HTTP: "true",
  WEBHOOK_ALLOW_ADDRESSES: "127.0.0.1"
}))

const Everything = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(settings)),
  Layer.provideMerge(TestGateway.cloud)
)

const got = Effect.fnUntraced(function* (plane: Plane, path: string, token: string) {
  const answer = yield* (yield* TestGateway).call(plane, "GET", path, { token })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer
})

const mint = { name: "credentials_mint", arguments: { kind: "mcp", tier: 0, label: "a helper" } }

layer(Everything, { excludeTestServices: true })("the audit trail of an agent", (it) => {
  it.effect("is in its tenant's audit and the operators', beside its direct calls", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const [reader, writer, owner] = acme.tokens
      const asReader = yield* connected(reader)
      const asWriter = yield* connected(writer)
      const create = { name: "object_storage_create_bucket", arguments: { name: "refused" } }
      const { isError } = yield* Effect.promise(() => asReader.callTool(create))
      assert.isTrue(isError === true)
      const minted: { readonly pat?: string } = Object(
        (yield* Effect.promise(() => asWriter.callTool(mint))).structuredContent
      )
      // The credential of an agent, without a tool.
      yield* (yield* TestGateway).call("customer", "DELETE", "/v1/credentials/nobody", { token: minted.pat ?? "" })
      // The newest record is of a tool that reads: no call of the API is recorded beside it or after it.
      yield* Effect.promise(() => asReader.callTool({ name: "credentials_list" }))

      const told = ({ actor, method, parameters, status, tool }: Record<string, unknown>) => [
        actor,
        tool,
        method,
        status,
        parameters
      ]
      const names = ["kind", "tier", "label"]
      const all = [
        ["agent", null, "POST", 403, []],
        ["agent", create.name, "POST", 403, ["name"]],
        ["agent", null, "POST", 201, []],
        ["agent", "credentials_mint", "POST", 201, names],
        ["agent", null, "DELETE", 403, []],
        ["agent", "credentials_list", "GET", 200, []]
      ]
      for (const [plane, token] of [
        ["customer", owner],
        ["operator", operator]
      ] as const) {
        const page = jsonOf(yield* got(plane, "/v1/audit?order=asc&actor=agent", token))
        assert.deepStrictEqual(page.records.map(told), all, plane)
        assert.strictEqual(page.records[0].request_id, page.records[1].request_id)
        assert.deepInclude(page.records[5], { route: "/v1/credentials", resources: [], fields: null, tier: 0 })
        const half = jsonOf(yield* got(plane, "/v1/audit?order=asc&actor=agent&limit=3", token))
        const rest = jsonOf(yield* got(plane, `/v1/audit?order=asc&actor=agent&cursor=${half.next_cursor}`, token))
        assert.deepStrictEqual([...half.records, ...rest.records].map(told), all)

        const exported = (yield* got(plane, "/v1/audit/export?actor=agent", token)).text.trim().split("\n")
        const lines = exported.map((_) => JSON.parse(_))
        assert.deepStrictEqual(
          lines.map((_) => _.topic),
          ["api.audit", "agent.actions", "api.audit", "agent.actions", "api.audit", "agent.actions", undefined]
        )
        assert.deepInclude(lines[1].data, { tool: create.name, outcome: "refused", code: "tier_too_low" })
        assert.deepInclude(lines.at(-1), { complete: true, count: 6 })
      }
      const others = jsonOf(yield* got("customer", "/v1/audit?actor=agent", globex.tokens[2]))
      assert.deepStrictEqual(others.records, [])
      const keys = jsonOf(yield* got("customer", "/v1/audit?actor=key", owner))
      assert.isTrue(keys.records.every(({ actor, tool }: Record<string, unknown>) => actor === "key" && tool === null))
      assert.strictEqual((yield* Memory).agentCalls.size, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("counts as use of its credential, refused or not, and has the last tool", () =>
    Effect.gen(function* () {
      const { acme, customerOwner } = yield* Cast
      const usage = yield* Usage
      const [, id] = acme.credentialIds
      const counted = Effect.gen(function* () {
        yield* foldUsage
        const rows = jsonOf(yield* got("customer", "/v1/credentials/usage", acme.tokens[2])).usage
        const [agent] = yield* usage.agents([id])
        return { call_count: rows.find((_: Record<string, unknown>) => _["credential_id"] === id).call_count, agent }
      })
      const before = yield* counted
      const client = yield* connected(acme.tokens[1])
      const tool = (name: string, given: Record<string, unknown> = {}) =>
        Effect.promise(() => client.callTool({ name, arguments: given }))
      // A write leaves one record on each topic; a mint is no call (contract), and neither is what was refused.
      yield* tool("object_storage_create_bucket", { name: "counted" })
      yield* tool(mint.name, mint.arguments)
      yield* tool("object_storage_create_bucket", { name: "?" })
      const after = yield* counted
      assert.strictEqual(after.call_count - before.call_count, 4)
      assert.strictEqual((after.agent?.calls ?? 0) - (before.agent?.calls ?? 0), 3)
      assert.deepInclude(after.agent, {
        refused: (before.agent?.refused ?? 0) + 1,
        last_tool: "object_storage_create_bucket"
      })

      const person = yield* connected(customerOwner)
      yield* Effect.promise(() => person.callTool({ name: "identity_whoami" }))
      yield* foldUsage
      const members = [...(yield* Memory).credentials.values()].filter((_) => _.kind === "member")
      const people = yield* usage.agents(members.map((_) => _.credential_id))
      assert.deepStrictEqual(
        people.map(({ calls, last_tool, refused }) => [calls, refused, last_tool]),
        [[1, 0, "identity_whoami"]]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is sent to the subscribed webhooks", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const endpoint = yield* receiver
      const made = yield* call("customer", "POST", "/v1/webhooks", {
        token: acme.tokens[2],
        body: { url: endpoint.url, topics: ["agent.actions"] }
      })
      assert.strictEqual(made.status, 201, made.text)
      const client = yield* connected(acme.tokens[0])
      yield* Effect.promise(() => client.callTool({ name: "identity_whoami" }))
      yield* until(Effect.sync(() => endpoint.got.length > 0))
      assert.deepInclude(JSON.parse(endpoint.got[0]?.body ?? "").data, {
        tool: "identity_whoami",
        outcome: "succeeded",
        credential_id: acme.credentialIds[0]
      })
    }).pipe(Effect.scoped)
  )
})
