import type { FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Cast } from "../harness/Cast.ts"
import { rawClient } from "../harness/RawClient.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"
import { closed } from "./exchanged.ts"
import { settle, until } from "@portico/testing/clock"
import { connect } from "node:net"
import { opened, post, request } from "../agent/wire.ts"

/** A gateway that stops in the middle of a call that the cloud answers late, or never. */
const cutOff = (path: string, as: FaultKind = "hang", plane: Plane = "customer") =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), scope)
    const { call } = Context.get(built, TestGateway)
    const cloud = Context.get(built, SimulatedCloud)
    const { acme } = Context.get(built, Cast)
    yield* cloud.fault({ service: "designate", method: "GET", path: "/**", times: "always", when: "before", as })
    yield* cloud.clearCalls
    const token = plane === "customer" ? acme.tokens[0] : fixtures.idp.operatorToken
    const asked = yield* Effect.forkChild(call(plane, "GET", path, { token }))
    const arrived = Effect.map(cloud.calls, (_) => _.some((call) => call.service === "designate"))
    yield* until(arrived)
    const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* settle
    return { asked, stopped }
  })

it.effect("a request that the stop cuts off is a 503 stopping, with its id", () =>
  Effect.gen(function* () {
    const { asked } = yield* cutOff("/v1/dns/zones")
    assert.isDefined(asked)
    yield* TestClock.adjust("20 seconds")
    const answer = yield* Fiber.join(asked)
    assert.deepStrictEqual(
      [answer.status, jsonOf(answer)],
      [503, { detail: "The gateway stopped before the request was done", code: "stopping" }]
    )
    assert.strictEqual(answer.headers["content-type"], "application/json")
    assert.match(answer.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
    assert.strictEqual(answer.headers["connection"], "close")
  })
)

it.effect("a request whose undo hangs is a 503 before the exit, and one whose undo ends gets its answer", () =>
  Effect.gen(function* () {
    for (const [removal, told] of [
      [{ delay_ms: 1_000 }, "502 onboarding_failed"],
      ["hang", "503 stopping"]
    ] as const) {
      const scope = yield* Scope.make()
      const built = yield* Layer.buildWithScope(TestGateway.layer, scope)
      const { call } = Context.get(built, TestGateway)
      const cloud = Context.get(built, SimulatedCloud)
      const network = { service: "neutron", path: "/v2.0/networks" } as const
      yield* cloud.fault({ ...network, method: "POST", when: "before", as: "hang" })
      yield* cloud.fault({
        service: "keystone",
        method: "DELETE",
        path: "/**",
        when: "before",
        times: "always",
        as: removal
      })
      const body = { name: "Acme", tier: "standard" }
      const asked = yield* Effect.forkChild(
        call("operator", "POST", "/v1/tenants", { token: fixtures.idp.operatorToken, body })
      )
      yield* until(Effect.map(cloud.calls, (_) => _.some(({ path }) => path === network.path)))
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* settle
      for (let second = 0; second < 22; second += 1) yield* TestClock.adjust("1 second")
      const answer = yield* Fiber.join(asked)
      assert.strictEqual(`${answer.status} ${jsonOf(answer).code}`, told, answer.text)
      assert.strictEqual(answer.headers["connection"], "close")
      yield* cloud.clearFaults
      for (let second = 0; second < 60; second += 1) yield* TestClock.adjust("1 second")
      yield* Fiber.join(stopped)
    }
  })
)

for (const [what, plane, path] of [
  ["a route", "customer", "/v1/dns/zones"],
  ["a proxied call", "customer", "/v1/iaas/dns/zones"],
  ["a proxied call of an operator", "operator", "/v1/iaas/dns/zones"]
] as const) {
  it.effect(`${what}: an answer during the stop is the connection's last, with connection: close`, () =>
    Effect.gen(function* () {
      const { asked, stopped } = yield* cutOff(path, { delay_ms: 1_000 }, plane)
      yield* TestClock.adjust("15 seconds")
      const answer = yield* Fiber.join(asked)
      assert.deepStrictEqual([answer.status, answer.headers["connection"]], [200, "close"])
      yield* Fiber.join(stopped)
    })
  )
}

/** With the time that idle connections get after the stop begins; nothing of a story waits for it. */
const Lasting = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), STOP_KEEP_ALIVE_SECONDS: "15" }))
).pipe(Layer.provideMerge(TestGateway.cloud))

it.effect("an idle connection of each plane gets one more request after the stop, then a close", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { agentUrl, url } = Context.get(yield* Layer.buildWithScope(Lasting, scope), TestGateway)
    const urls = [url.customer, url.operator, agentUrl]
    const get = "GET /health/live HTTP/1.1\r\nHost: portico\r\n\r\n"
    const clients = yield* Effect.forEach(urls, rawClient)
    for (const client of clients) {
      yield* client.send(get)
      yield* client.has("\r\n\r\n")
      assert.include(client.text(), "Connection: keep-alive\r\nKeep-Alive: timeout=3700")
    }
    const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* Effect.forEach(urls, refused)
    for (const client of clients) {
      assert.isFalse(client.socket.destroyed)
      yield* client.send(get)
      yield* closed(client)
      const answers = client.text().split(/(?=HTTP\/1\.1 )/)
      assert.lengthOf(answers, 2)
      assert.strictEqual(answers[1]?.split("\r\n")[0], answers[0]?.split("\r\n")[0])
      assert.include(answers[1], "Connection: close\r\n")
    }
    yield* Fiber.join(stopped)
  })
)

/** Waits until nobody listens there any more. */
const refused = (url: string) =>
  until(
    Effect.callback<boolean>((resume) => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      socket.once("error", () => resume(Effect.succeed(true)))
      socket.once("connect", () => (socket.destroy(), resume(Effect.succeed(false))))
    })
  )

/** A gateway that stops in the middle of a tool call whose service answers late, or never. */
const stoppedInTool = (as: FaultKind) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), scope)
    const { agentUrl } = Context.get(built, TestGateway)
    const cloud = Context.get(built, SimulatedCloud)
    const [token] = Context.get(built, Cast).acme.tokens
    const session = yield* opened(agentUrl, token)
    yield* cloud.clearCalls
    yield* cloud.fault({ service: "designate", method: "GET", path: "/**", when: "before", times: "always", as })
    const body = request("tools/call", { name: "dns_zones", arguments: {} })
    const asked = yield* Effect.forkChild(Effect.exit(post(agentUrl, body, { token, session })))
    const arrived = Effect.map(cloud.calls, (_) => _.some((call) => call.service === "designate"))
    yield* until(arrived)
    const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* settle
    const soon = <A>(fiber: Fiber.Fiber<A>) => Fiber.join(fiber)
    return { asked, answer: soon(asked), end: soon(stopped) }
  })

it.effect("the API call of a tool may end within the drain timeout, and the tool is answered", () =>
  Effect.gen(function* () {
    const { answer } = yield* stoppedInTool({ delay_ms: 1_000 })
    yield* TestClock.adjust("15 seconds")
    const told = yield* answer
    assert.isTrue(Exit.isSuccess(told))
    if (Exit.isSuccess(told)) {
      assert.match(told.value.text, /"structuredContent":\{"count":/)
      assert.notInclude(told.value.text, '"isError":true')
    }
  })
)

it.effect("the API call of a tool does not delay the stop any longer", () =>
  Effect.gen(function* () {
    const { answer, asked, end } = yield* stoppedInTool("hang")
    yield* TestClock.adjust("15 seconds")
    assert.isUndefined(asked.pollUnsafe())
    yield* TestClock.adjust("5 seconds")
    // The connection breaks, or a failure is told: nothing that looks like the tool's answer.
    const told = yield* answer
    if (Exit.isSuccess(told)) assert.notInclude(told.value.text, "structuredContent")
    yield* end
  })
)
