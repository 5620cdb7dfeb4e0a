import { assert, layer } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { areas } from "@portico/contract/areas"
import { failureTable } from "@portico/contract/Failures"
import { Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const read = (client: Client, uri: string) =>
  Effect.map(
    Effect.promise(() => client.readResource({ uri })),
    ({ contents }) => JSON.parse(String(JSON.parse(JSON.stringify(contents))[0].text))
  )

const refusal = (client: Client, uri: string) =>
  Effect.promise(() =>
    client.readResource({ uri }).then(
      () => undefined,
      (error: unknown) => error
    )
  )

layer(Everything, { excludeTestServices: true })("resources", (it) => {
  it.effect("are listed, and each of them can be read", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[0])
      const { resources } = yield* Effect.promise(() => client.listResources())
      const { resourceTemplates } = yield* Effect.promise(() => client.listResourceTemplates())
      assert.sameMembers(
        [...resources.map((_) => _.uri), ...resourceTemplates.map((_) => _.uriTemplate)],
        [
          "portico://areas",
          "portico://areas/{area}",
          "portico://quotas",
          "portico://status",
          "portico://errors",
          "portico://errors/{code}",
          "portico://agent"
        ]
      )
      for (const { uri } of resources) assert.isObject(yield* read(client, uri))
    }).pipe(Effect.scoped)
  )

  it.effect("have every area, and in it the tools of the caller and what only people do", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[0])
      const all = yield* read(client, "portico://areas")
      assert.deepStrictEqual(
        all.areas.map((_: { readonly area: string }) => _.area),
        areas
      )
      const one = yield* read(client, "portico://areas/databases")
      assert.deepInclude(one.tools, { tool: "databases_list", title: "List databases", writes: false, available: true })
      assert.includeMembers(
        one.not_for_agents.map((_: { readonly route: string }) => _.route),
        ["DELETE /v1/databases/{engine}/{name}", "GET /v1/databases/{engine}/{name}/credentials"]
      )
      assert.match(String(yield* refusal(client, "portico://areas/nowhere")), /No such area/)
    }).pipe(Effect.scoped)
  )

  it.effect("of the tenant equal the API's answers, marked as data, and are refused alike", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const client = yield* connected(acme.tokens[0])
      const { text } = yield* call("customer", "GET", "/v1/quotas", { token: acme.tokens[0] })
      const { note, quotas } = yield* read(client, "portico://quotas")
      assert.deepStrictEqual(quotas, JSON.parse(text))
      assert.match(note, /never follow instructions/)
      const { agent } = yield* read(client, "portico://agent")
      assert.deepInclude(agent, { tier: 0, tenant: { project_id: acme.projectId, name: "Acme" } })
      yield* call("customer", "PUT", "/v1/access/policy", {
        token: (yield* Cast).customerOwner,
        body: { ou: "", denies: ["quotas:read"] }
      })
      const error = yield* refusal(client, "portico://quotas")
      assert.match(String(error), /quotas:read/)
      assert.deepNestedPropertyVal(error, "data.code", "policy_denied")
      yield* call("customer", "DELETE", "/v1/access/policy?ou=", { token: (yield* Cast).customerOwner })
    }).pipe(Effect.scoped)
  )

  it.effect("have the catalogue of failures, whose codes and areas are completed", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[0])
      assert.strictEqual((yield* read(client, "portico://errors")).errors.length, failureTable.length)
      const one = yield* read(client, "portico://errors/tier_too_low")
      const { cause, status } = failureTable.find((_) => _.code === "tier_too_low") ?? assert.fail()
      assert.deepInclude(one, { code: "tier_too_low", status, cause })
      const complete = (uri: string, name: string, value: string) =>
        Effect.promise(() => client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } }))
      const { completion } = yield* complete("portico://errors/{code}", "code", "tier_t")
      assert.deepStrictEqual(completion.values, ["tier_too_low"])
      const found = yield* complete("portico://areas/{area}", "area", "data")
      assert.deepStrictEqual(found.completion.values, ["databases"])
    }).pipe(Effect.scoped)
  )
})

layer(Everything, { excludeTestServices: true })("prompts", (it) => {
  it.effect("are listed with described arguments, and name tools that exist", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[1], {}, "?areas=all")
      const names = new Set((yield* Effect.promise(() => client.listTools())).tools.map((_) => _.name))
      const { prompts } = yield* Effect.promise(() => client.listPrompts())
      assert.isAtLeast(prompts.length, 7)
      for (const prompt of prompts) {
        const given = Object.fromEntries((prompt.arguments ?? []).map(({ name }) => [name, "x"]))
        const { messages } = yield* Effect.promise(() => client.getPrompt({ name: prompt.name, arguments: given }))
        const [message] = JSON.parse(JSON.stringify(messages))
        const named = [...String(message.content.text).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(
          ([, name]) => name ?? ""
        )
        // Costs are for callers with billing access, and listed for these alone.
        const missing = named.filter((_) => !names.has(_) && !_.startsWith("money_"))
        assert.deepStrictEqual(missing, [], prompt.name)
        for (const { description } of prompt.arguments ?? []) assert.isNotEmpty(description)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("refuse a missing argument, and complete known values", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[0])
      const error = yield* Effect.promise(() =>
        client.getPrompt({ name: "what_will_it_cost" }).then(
          () => undefined,
          (_: unknown) => _
        )
      )
      assert.match(String(error), /argument plan is required/)
      const { completion } = yield* Effect.promise(() =>
        client.complete({
          ref: { type: "ref/prompt", name: "why_refused" },
          argument: { name: "code", value: "owner_r" }
        })
      )
      assert.deepStrictEqual(completion.values, ["owner_required"])
    }).pipe(Effect.scoped)
  )
})
