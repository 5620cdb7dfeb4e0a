import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Cast } from "../harness/Cast.ts"
import { jsonOf } from "../harness/TestGateway.ts"
import { get, heldCalls, metric, Slow, stage } from "./Slow.ts"

/** The queue has timers of Node, which no test clock moves. */
layer(stage("1"), { excludeTestServices: true })("an unresponsive service", (it) => {
  it.effect("refuses calls that wait too long, and serves later ones", () =>
    Effect.gen(function* () {
      const [token] = (yield* Cast).acme.tokens
      const held = yield* heldCalls(token)
      const refused = yield* get("/v1/iaas/dns/zones", token)
      assert.strictEqual(refused.status, 503)
      assert.deepStrictEqual(jsonOf(refused), {
        detail: "dns has more calls than it can answer in time; nothing was done, try again in a moment",
        code: "overloaded"
      })
      assert.strictEqual(refused.headers["retry-after"], "1")
      assert.isDefined(refused.headers["ratelimit-limit"])
      yield* metric("proxy_refused_total", "1")

      const served = yield* Effect.forkChild(get("/v1/iaas/dns/zones", token))
      yield* metric("proxy_waiting_calls", "1")
      yield* (yield* Slow).answerHeld
      assert.strictEqual((yield* Fiber.join(served)).text, "fine")
      yield* Fiber.join(held)
    })
  )
})
