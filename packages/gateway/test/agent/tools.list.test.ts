import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { assert, layer } from "@effect/vitest"
import { isOpenWorld } from "@portico/agent/tools/openWorld"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { until } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast, mint } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { called, listed, tools } from "./toolCalls.ts"
import { overTheWire, stateless, texts } from "./toolLists.ts"
import { opened, request } from "./wire.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** The most characters of a list: tools.tokens.integration.test.ts counts tokens, of which each has 4.3 here. */
const most = 51_500

layer(Everything, { excludeTestServices: true })("the size of a list of tools", (it) => {
  it.effect("is at most 51,500 characters at every tier, complete at tier 0 with billing access", () =>
    Effect.gen(function* () {
      const lists = yield* texts("olga")
      for (const [who, text] of Object.entries(lists)) {
        assert.include(text, '"credentials_list"')
        assert.isAtMost(text.length, most, who)
      }
      assert.include(lists["tier 0"], '"money_invoices"')
      assert.include(lists["tier 1"], '"databases_create"')
    })
  )

  it.effect("each tool is annotated with its effects, and takes only named arguments", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[2], {}, "?areas=all")
      for (const { annotations, inputSchema, name } of yield* listed(client)) {
        const tool = tools.find((_) => _.name === name)
        assert.deepInclude(annotations, { readOnlyHint: tool?.writes === false, destructiveHint: false }, name)
        assert.isBoolean(annotations?.idempotentHint)
        assert.strictEqual(annotations?.openWorldHint, tool !== undefined && isOpenWorld(tool), name)
        assert.strictEqual(inputSchema["additionalProperties"], false, name)
      }
    }).pipe(Effect.scoped)
  )
})

layer(Everything, { excludeTestServices: true })("areas", (it) => {
  const namesOf = (token: string, search = "") =>
    Effect.scoped(
      Effect.gen(function* () {
        return (yield* listed(yield* connected(token, {}, search))).map((_) => _.name)
      })
    )

  it.effect("are switched on in the address, for that request alone", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const usual = yield* namesOf(acme.tokens[1])
      assert.include(usual, "dns_zones")
      assert.notInclude(usual, "dns_create_zone")
      const more = yield* namesOf(acme.tokens[1], "?areas=dns,edge")
      assert.includeMembers(more, ["dns_create_zone", "edge_create"])
      assert.notInclude(more, "alarms_create")
      assert.includeMembers(yield* namesOf(acme.tokens[1], "?areas=all"), ["alarms_create", "integrations_create"])
      assert.deepStrictEqual(yield* namesOf(acme.tokens[1]), usual)
      // A caller that may not write sees nothing of what it switches on.
      assert.deepStrictEqual(yield* namesOf(acme.tokens[0], "?areas=all"), yield* namesOf(acme.tokens[0]))
      assert.notInclude(yield* namesOf(acme.tokens[0]), "areas")
    })
  )

  it.effect("are switched on by the tool for this agent, in all of its sessions, and off again", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { pat: one } = yield* mint(acme.tokens[2], 1, "one", { kind: "mcp" })
      const { pat: another } = yield* mint(acme.tokens[2], 1, "another", { kind: "mcp" })
      const client = yield* connected(one)
      const shown = yield* called(client, "areas")
      assert.deepInclude(shown.body["areas"], { area: "alarms", on: false, tools: ["alarms_create", "alarms_update"] })
      const on = yield* called(client, "areas", { on: ["alarms", "edge"] })
      assert.deepInclude(on.body["areas"], { area: "alarms", on: true, tools: ["alarms_create", "alarms_update"] })
      assert.includeMembers(yield* namesOf(one), ["alarms_create", "edge_create"])
      assert.notInclude(yield* namesOf(another), "alarms_create")
      yield* called(client, "areas", { off: ["alarms"] })
      assert.notInclude(yield* namesOf(one), "alarms_create")
      assert.include(yield* namesOf(one), "edge_create")
    }).pipe(Effect.scoped)
  )

  it.effect("are refused with the known ones when they are unknown", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[1])
      for (const given of [{ on: ["everything"] }, { on: "alarms" }, { on: [7] }, { areas: ["alarms"] }]) {
        const { body, isError } = yield* called(client, "areas", given)
        assert.isTrue(isError)
        assert.strictEqual(body["code"], "validation_error")
      }
      const { body } = yield* called(client, "areas", { on: ["everything"] })
      assert.include(JSON.stringify(body), "alarms, autoscaling")
    }).pipe(Effect.scoped)
  )

  it.effect("are not a right: a tool of a switched-off area can be called by name", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[1])
      assert.notInclude(
        (yield* listed(client)).map((_) => _.name),
        "edge_resync"
      )
      const { body, isError } = yield* called(client, "edge_resync")
      assert.isFalse(isError, JSON.stringify(body))
    }).pipe(Effect.scoped)
  )

  /** Connects, and counts how often the client hears that its list has changed. */
  const counting = Effect.fnUntraced(function* (token: string) {
    const client = yield* connected(token)
    const heard = { count: 0 }
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (heard.count += 1))
    return { client, heard }
  })

  it.effect("the client is notified of a changed list in the answer, once for each change", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { pat } = yield* mint(acme.tokens[2], 1, "hears", { kind: "mcp" })
      const { client, heard } = yield* counting(pat)
      const { body } = yield* called(client, "areas", { on: ["edge"] })
      assert.deepInclude(JSON.stringify(body["areas"]), "edge_create")
      yield* until(Effect.sync(() => heard.count > 0))
      yield* called(client, "areas", { on: ["edge"] })
      yield* called(client, "areas")
      assert.strictEqual(heard.count, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("another tenant's client is not notified in a running call", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { agentUrl } = yield* TestGateway
      const cloud = yield* SimulatedCloud
      const { client } = yield* counting(acme.tokens[1])
      const session = yield* opened(agentUrl, globex.tokens[1])
      yield* cloud.fault({
        service: "designate",
        method: "GET",
        path: "/**",
        times: "always",
        when: "before",
        as: "hang"
      })
      yield* cloud.clearCalls
      let heard = ""
      yield* Effect.forkScoped(
        Effect.promise(async (signal) => {
          const answer = await fetch(agentUrl, {
            method: "POST",
            signal,
            headers: {
              accept: "application/json, text/event-stream",
              "content-type": "application/json",
              "mcp-session-id": session,
              authorization: `Bearer ${globex.tokens[1]}`
            },
            body: JSON.stringify(request("tools/call", { name: "dns_zones", arguments: {} }))
          })
          for await (const part of answer.body ?? []) heard += Buffer.from(part).toString()
        })
      )
      yield* until(Effect.map(cloud.calls, (_) => _.some(({ service }) => service === "designate")))
      for (const area of ["edge", "dns", "alarms"]) yield* called(client, "areas", { on: [area] })
      yield* called(client, "areas", { off: ["edge", "dns", "alarms"] })
      yield* cloud.clearFaults
      assert.strictEqual(heard, "")
    }).pipe(Effect.scoped)
  )

  it.effect("a listening client is notified of a change of policies", () =>
    Effect.gen(function* () {
      const { acme, customerOwner } = yield* Cast
      const { agentUrl, call } = yield* TestGateway
      const { body, headers } = stateless("subscriptions/listen", { notifications: { toolsListChanged: true } })
      let heard = ""
      yield* Effect.forkScoped(
        Effect.promise(async (signal) => {
          const answer = await fetch(agentUrl, {
            method: "POST",
            signal,
            headers: { ...headers, "content-type": "application/json", authorization: `Bearer ${acme.tokens[1]}` },
            body: JSON.stringify(body)
          })
          for await (const part of answer.body ?? []) heard += Buffer.from(part).toString()
        })
      )
      // The subscription is acknowledged before it hears of anything.
      yield* until(Effect.sync(() => heard.includes("notifications/subscriptions/acknowledged")))
      const policy = { ou: "", denies: ["edge:operate"] }
      const put = yield* call("customer", "PUT", "/v1/access/policy", { token: customerOwner, body: policy })
      assert.isBelow(put.status, 300, put.text)
      yield* until(Effect.sync(() => heard.includes("notifications/tools/list_changed")))
      assert.notInclude(yield* overTheWire(acme.tokens[1], "?areas=edge"), '"edge_create"')
      yield* call("customer", "DELETE", "/v1/access/policy?ou=", { token: customerOwner })
    }).pipe(Effect.scoped)
  )
})
