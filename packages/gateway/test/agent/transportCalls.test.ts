import { assert, layer } from "@effect/vitest"
import { until } from "@portico/testing/clock"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber, Layer } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { opened, post, request } from "./wire.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** The value of a metric of the gateway; 0 when it has none yet. */
const metric = Effect.fnUntraced(function* (series: string) {
  const { call } = yield* TestGateway
  const { text } = yield* call("operator", "GET", "/metrics")
  const line = text.split("\n").find((_) => _.startsWith(`${series} `))
  return Number(line?.slice(series.length) ?? 0)
})

const underWay = (plane: string) => metric(`portico_http_requests_in_flight{plane="${plane}"}`)

const whoami = request("tools/call", { name: "identity_whoami", arguments: {} })
const zones = request("tools/call", { name: "dns_zones", arguments: {} })

/** Bytes in use after a full collection. */
const heap = () => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed
}

const resources = () => process.getActiveResourcesInfo().filter((_) => _ !== "Immediate").length

layer(Everything, { excludeTestServices: true })("the API calls of tools", (it) => {
  it.effect("are counted apart from the requests that cause them", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const counts = Effect.all([
        metric('portico_http_requests_total{plane="agent",route="/mcp",method="POST",status="2xx"}'),
        metric('portico_http_requests_total{plane="tools",route="/v1/whoami",method="GET",status="2xx"}')
      ])
      const session = yield* opened(agentUrl, acme.tokens[0])
      const before = yield* counts
      yield* post(agentUrl, whoami, { token: acme.tokens[0], session })
      const [requests, calls] = yield* counts
      assert.deepStrictEqual([requests - before[0], calls - before[1]], [1, 1])
    })
  )

  it.effect("end when the client disconnects, also halfway", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const token = acme.tokens[0]
      const session = yield* opened(agentUrl, token)
      yield* cloud.fault({
        service: "designate",
        method: "GET",
        path: "/**",
        times: "always",
        when: "before",
        as: "hang"
      })
      const waiting = yield* Effect.forkChild(post(agentUrl, zones, { token, session }))
      yield* until(Effect.map(underWay("tools"), (_) => _ === 1))
      yield* Fiber.interrupt(waiting)
      yield* until(Effect.map(Effect.all([underWay("tools"), underWay("agent")]), (_) => _.every((n) => n === 0)))
      yield* cloud.clearFaults
    })
  )

  it.effect("leave nothing behind after four hundred calls, a third of them abandoned", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const token = acme.tokens[0]
      const session = yield* opened(agentUrl, token)
      const calls = (count: number) =>
        Effect.forEach(
          Array.from({ length: count }, (_, i) => i),
          (i) => {
            const call = post(agentUrl, whoami, { token, session })
            return i % 3 === 0 ? Effect.asVoid(Effect.timeoutOption(call, 2)) : Effect.asVoid(call)
          },
          { concurrency: 8, discard: true }
        )
      const rest = Effect.andThen(
        until(Effect.map(Effect.all([underWay("tools"), underWay("agent")]), (_) => _.every((n) => n === 0))),
        cloud.clearCalls
      )
      yield* calls(150)
      yield* rest
      const before = { heap: heap(), resources: resources() }
      yield* calls(400)
      yield* rest
      assert.isAtMost(resources(), before.resources + 10)
      assert.isBelow((heap() - before.heap) / 400, 10_000)
    })
  )
})
