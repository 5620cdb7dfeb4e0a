import type { FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { until } from "@portico/testing/clock"
import { opened, post, request } from "../agent/wire.ts"

/** A gateway that stops in the middle of a call that the cloud never answers. */
const cutOff = (path: string, service: "designate", hangs: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), scope)
    const { call } = Context.get(built, TestGateway)
    const cloud = Context.get(built, SimulatedCloud)
    const { acme } = Context.get(built, Cast)
    yield* cloud.fault({ service, method: "GET", path: hangs, times: "always", when: "before", as: "hang" })
    yield* cloud.clearCalls
    const asked = yield* Effect.forkChild(call("customer", "GET", path, { token: acme.tokens[0] }))
    const arrived = Effect.map(cloud.calls, (_) => _.some((call) => call.service === service))
    yield* until(arrived)
    const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    return { asked, stopped }
  })

it.effect("a request that the stop cuts off is told so, with its id", () =>
  Effect.gen(function* () {
    const { asked } = yield* cutOff("/v1/dns/zones", "designate", "/**")
    assert.isDefined(asked)
    yield* TestClock.adjust("20 seconds")
    const answer = yield* Fiber.join(asked)
    assert.deepStrictEqual(
      [answer.status, jsonOf(answer)],
      [503, { detail: "The gateway stopped before the request was done", code: "stopping" }]
    )
    assert.strictEqual(answer.headers["content-type"], "application/json")
    assert.match(answer.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
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
    const soon = <A>(fiber: Fiber.Fiber<A>) => Fiber.join(fiber)
    return { asked, answer: soon(asked), end: soon(stopped) }
  })

it.effect("the API call of a tool has the drain timeout to end, and the tool is answered", () =>
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

it.effect("the API call of a tool does not hold up the stop for longer", () =>
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
