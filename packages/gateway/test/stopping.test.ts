import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Cast } from "./Cast.ts"
import { jsonOf, TestGateway } from "./TestGateway.ts"
import { until } from "./until.ts"

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
    yield* TestClock.withLive(Effect.timeout(until(arrived), "5 seconds"))
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
