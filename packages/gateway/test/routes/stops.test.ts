import { stopDeadlines } from "@portico/domain/health/Stopping"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { assert, it } from "@effect/vitest"
import { inTime, settle } from "@portico/testing/clock"
import { Clock, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Cast } from "../harness/Cast.ts"
import { rawClient } from "../harness/RawClient.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import type { Success } from "./Success.ts"
import { successes } from "./successes.ts"
import { asked } from "./undisturbed.ts"

const Everything = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Effect.map(Server, ({ url }) => gatewaySettings(url)))),
  Layer.provideMerge(TestGateway.cloud)
)

/** Those whose writes an operation waits for; logins go on. */
const services = [
  "neutron",
  "nova",
  "cinder",
  "glance",
  "octavia",
  "designate",
  "barbican",
  "rgw",
  "kubernetes",
  "billing"
] as const

const hang = Effect.fnUntraced(function* (methods: ReadonlyArray<string>) {
  const cloud = yield* SimulatedCloud
  for (const service of services) {
    for (const method of methods) {
      yield* cloud.fault({ service, method, path: "/**", when: "before", times: "always", as: "hang" })
    }
  }
  // Of an identity provider whatever it makes, and not whom it knows.
  const users = { service: "zitadel", when: "before", times: "always", as: "hang", path: "/v2/users/**" } as const
  for (const method of methods) yield* cloud.fault({ ...users, method })
})

/** The request of a row, on a connection that nothing else uses. */
const prepared = Effect.fnUntraced(function* (route: Route, row: Success) {
  const { bytes, url } = yield* asked(route, row)
  const client = yield* rawClient(url)
  return { send: client.send(bytes), client }
})

it.effect("a stop ends in time while every service hangs, with every route's calls in flight", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(Everything, scope)
    yield* Effect.gen(function* () {
      const changing = routes.filter((_) => !["GET", "HEAD", "OPTIONS"].includes(_.method))
      const all: Array<Effect.Success<ReturnType<typeof prepared>>> = []
      for (const route of changing) {
        const row = successes[nameOf(route)]
        if (row === undefined) return assert.fail(`${nameOf(route)} has no row among the successes`)
        all.push(yield* inTime(prepared(route, row)))
      }
      yield* hang(["POST", "PUT", "PATCH", "DELETE"])
      for (const { send } of all) yield* send
      yield* settle
      yield* TestClock.adjust("1 second")
      yield* settle
      const waiting = all.filter(({ client }) => client.text() === "").length
      assert.isAbove(waiting, 15, "hardly anything is under way")
      yield* hang(["GET", "HEAD"])
    }).pipe(Effect.provide(built))

    const before = yield* Clock.currentTimeMillis
    const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* inTime(Fiber.join(stopped))
    const took = (yield* Clock.currentTimeMillis) - before
    assert.isAtMost(took, Duration.toMillis(stopDeadlines.rest))
    assert.isAtLeast(took, 20_000, "open requests get their time")
  })
)
