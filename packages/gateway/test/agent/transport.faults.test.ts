import { assert, layer } from "@effect/vitest"
import { inTime, turn, until } from "@portico/testing/clock"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast, mint } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { initialize, opened, post, request } from "./wire.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const zones = { name: "dns_zones", arguments: {} }

/** The value of a metric of the gateway; 0 when it has none yet. */
const underWay = Effect.gen(function* () {
  const { text } = yield* (yield* TestGateway).call("operator", "GET", "/metrics")
  return Number(/^portico_http_requests_in_flight\{plane="tools"\} (\d+)$/m.exec(text)?.[1] ?? 0)
})

const hanging = Effect.gen(function* () {
  const cloud = yield* SimulatedCloud
  yield* Effect.acquireRelease(
    cloud.fault({ service: "designate", method: "GET", path: "/**", times: "always", when: "before", as: "hang" }),
    () => cloud.clearFaults
  )
})

layer(Everything)("a call of a tool", (it) => {
  it.effect("ends its API call when it is cancelled at its replica", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[0]
      yield* hanging
      for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
        const session = yield* opened(agentUrl, token, initialize(version))
        const call = yield* Effect.forkChild(
          post(agentUrl, request("tools/call", zones, "to-cancel"), { token, session })
        )
        yield* until(Effect.map(underWay, (_) => _ === 1))
        const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "to-cancel" } }
        assert.strictEqual((yield* post(agentUrl, cancelled, { token, session })).status, 202)
        yield* until(Effect.map(underWay, (_) => _ === 0))
        yield* Fiber.interrupt(call)
      }
      const { acme: tenant } = yield* Cast
      const { call } = yield* TestGateway
      const { events } = jsonOf(
        yield* call("customer", "GET", "/v1/events?topic=agent.actions", { token: tenant.tokens[0] })
      )
      assert.deepStrictEqual(
        events.map((_: { readonly data: { readonly outcome: string } }) => _.data.outcome),
        Array.from({ length: 4 }, () => "unknown")
      )
    }).pipe(Effect.scoped)
  )

  it.effect("to a hanging service ends in limited time, as on the API", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      yield* hanging
      const client = yield* connected(acme.tokens[0])
      const both = [
        call("customer", "GET", "/v1/dns/zones", { token: acme.tokens[0] }),
        Effect.promise(() => client.callTool(zones))
      ] as const
      const [onApi, byTool] = yield* inTime(Effect.all(both, { concurrency: 2 }))
      const { code, detail, status }: Record<string, unknown> = Object(byTool.structuredContent)
      assert.isTrue(byTool.isError)
      assert.deepStrictEqual([status, code, detail], [onApi.status, jsonOf(onApi).code, jsonOf(onApi).detail])
    }).pipe(Effect.scoped)
  )

  it.effect("with an answer above 1 MiB or 20,000 values fails with answer_too_large", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const client = yield* connected(acme.tokens[0])
      const answerOf = Effect.fnUntraced(function* (body: unknown) {
        yield* cloud.fault({
          service: "neutron",
          method: "GET",
          path: "/**",
          when: "before",
          as: { status: 200, body }
        })
        const answer = yield* Effect.promise(() =>
          client.callTool({ name: "network_read", arguments: { path: "networks" } })
        )
        yield* cloud.clearFaults
        return answer
      })
      // What was read whole can say what is large in it.
      const zoneOf = (kibibytes: number) => ({ zones: [{ text: "x".repeat(kibibytes * 1024) }] })
      const whole = yield* answerOf(zoneOf(1000))
      assert.deepInclude(whole.structuredContent, { code: "answer_too_large" })
      assert.property(whole.structuredContent, "field_bytes")
      const many = { zones: Array.from({ length: 20_000 }, () => 0) }
      const deep = JSON.parse(`{"zones":${"[".repeat(300)}${"]".repeat(300)}}`)
      for (const body of [zoneOf(1024), many, deep]) {
        const cut = yield* answerOf(body)
        assert.isTrue(cut.isError)
        assert.deepInclude(cut.structuredContent, { code: "answer_too_large", status: 200 })
        assert.notProperty(cut.structuredContent, "field_bytes")
        assert.isBelow(JSON.stringify(cut).length, 10_000)
      }
      yield* until(Effect.map(underWay, (_) => _ === 0))
    }).pipe(Effect.scoped)
  )

  it.effect("waits while four others of its tenant run, and delays no other tenant", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      yield* hanging
      const ours = yield* connected(acme.tokens[0])
      const theirs = yield* connected(globex.tokens[0])
      const six = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 6 }), () => Effect.promise(() => ours.callTool(zones)), {
          concurrency: "unbounded"
        })
      )
      yield* until(Effect.map(underWay, (_) => _ === 4))
      const other = yield* Effect.forkChild(Effect.promise(() => theirs.callTool(zones)))
      yield* until(Effect.map(underWay, (_) => _ === 5))
      yield* Effect.replicateEffect(turn, 200, { discard: true })
      assert.strictEqual(yield* underWay, 5)
      // Those that wait go on when the first ones have ended.
      yield* inTime(Effect.all([Fiber.join(six), Fiber.join(other)]))
      assert.strictEqual(yield* underWay, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("reports progress in every revision with sessions", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
        const { pat } = yield* mint(acme.tokens[2], 1, version, { kind: "mcp" })
        const session = yield* opened(agentUrl, pat, initialize(version))
        const name = `p-${version}`
        const given = { engine: "postgres", name, version: "17", size_gb: 1, wait: true }
        const params = { name: "databases_create", arguments: given, _meta: { progressToken: `of-${version}` } }
        const call = post(agentUrl, request("tools/call", params), { token: pat, session })
        const answer = yield* inTime(call, "100 millis")
        const messages = answer.text
          .split("\n")
          .filter((_) => _.startsWith("data: {"))
          .map((_) => JSON.parse(_.slice("data: ".length)))
        const reports = messages.filter((_) => _.method === "notifications/progress")
        assert.isAbove(reports.length, 0, answer.text)
        assert.isTrue(reports.every((_) => _.params.progressToken === `of-${version}`))
        assert.isNumber(reports[0].params.progress)
        assert.isDefined(messages.at(-1).result, answer.text)
      }
    })
  )
})
