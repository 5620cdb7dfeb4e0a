import { assert, layer } from "@effect/vitest"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, Effect, Layer } from "effect"
import { jsonOf, planes, TestGateway } from "./TestGateway.ts"

const components = [
  "compute",
  "identity",
  "identity-provider",
  "image",
  "load-balancer",
  "network",
  "object-storage",
  "volume"
]

const all = (state: "ok" | "unreachable") => Object.fromEntries(components.map((_) => [_, state]))

const ready = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const [customer, operator] = yield* Effect.all(planes.map((_) => call(_, "GET", "/health/ready")))
  return {
    customer: { status: customer!.status, body: jsonOf(customer!) },
    operator: { status: operator!.status, body: jsonOf(operator!) }
  }
})

/** Everything that the planes say when nothing behind them answers. */
const degraded = {
  customer: { status: 200, body: { status: "degraded" } },
  operator: { status: 200, body: { status: "degraded", components: all("unreachable") } }
}

const stillAlive = Effect.gen(function* () {
  const { call } = yield* TestGateway
  for (const plane of planes) {
    for (const path of ["/health", "/health/live"]) {
      const answer = yield* call(plane, "GET", path)
      assert.deepStrictEqual([answer.status, jsonOf(answer)], [200, { status: "ok" }])
    }
  }
})

const live = { excludeTestServices: true }

layer(TestGateway.layer, live)("with everything behind it up", (it) => {
  it.effect("live, without a token or with any other header", () => stillAlive)

  it.effect("ready; only operators are told the parts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ready, {
        customer: { status: 200, body: { status: "ready" } },
        operator: { status: 200, body: { status: "ready", components: all("ok") } }
      })
    })
  )

  it.effect("a good, a bad or a foreign token changes nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      for (const token of ["garbage", "operator-token"]) {
        const answer = yield* call("customer", "GET", "/health/ready", { token })
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [200, { status: "ready" }])
      }
    })
  )
})

layer(TestGateway.layer, live)("with one system that resets connections", (it) => {
  it.effect("degraded, and operators see which", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ service: "nova", method: "GET", path: "/**", times: "always", when: "before", as: "reset" })
      assert.deepStrictEqual(yield* ready, {
        customer: { status: 200, body: { status: "degraded" } },
        operator: { status: 200, body: { status: "degraded", components: { ...all("ok"), compute: "unreachable" } } }
      })
    })
  )

  it.effect("a second look within seconds asks nobody again", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      yield* ready
      assert.deepStrictEqual(yield* cloud.calls, [])
    })
  )
})

layer(TestGateway.layer, live)("with systems that accept connections and say nothing", (it) => {
  it.effect("still answers, and soon", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      for (const service of ["keystone", "nova", "neutron", "cinder", "glance", "octavia", "rgw", "zitadel"] as const) {
        yield* cloud.fault({ service, method: "GET", path: "/**", times: "always", when: "before", as: "hang" })
      }
      const before = yield* Clock.currentTimeMillis
      assert.deepStrictEqual(yield* ready, degraded)
      assert.isBelow((yield* Clock.currentTimeMillis) - before, 4000)
      yield* stillAlive
    })
  )
})

const nowhere = TestGateway.layerOf(Effect.succeed(gatewaySettings("http://127.0.0.1:9"))).pipe(
  Layer.provideMerge(TestGateway.cloud)
)

layer(nowhere, live)("with nothing behind it at all", (it) => {
  it.effect("serves, and says so", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ready, degraded)
      yield* stillAlive
    })
  )
})
