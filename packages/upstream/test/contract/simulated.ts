import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import { turn } from "@portico/testing/clock"
import * as Upstreams from "@portico/upstream/Upstreams"
import { ConfigProvider, DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Cases, Program } from "./Case.ts"
import { Outcomes } from "./Outcomes.ts"
import { Systems } from "./Systems.ts"

/** A day on which nothing that the cases call past lies ahead. */
const today = DateTime.makeUnsafe("2026-01-01T12:00:00Z")

/** Pauses of the clients themselves pass too, a second at a time, once nothing else goes on. */
const inTime = (program: Program): Program =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    for (let turns = 1; fiber.pollUnsafe() === undefined; turns++) {
      yield* turn
      if (turns % 500 === 0) yield* TestClock.adjust("1 second")
    }
    return yield* Fiber.join(fiber)
  })

/** The cases ask for more of the cluster than the gateway's account may. */
const settings = {
  ...gatewaySettings(transport.memoryUrl),
  KUBERNETES_TOKEN: fixtures.kubernetes.administratorToken
}

/** The clients over the simulated cloud, in process, on a clock that moves when a case waits. */
const Simulated = Systems.layerOf("ct-simul", TestClock.adjust("1 second")).pipe(
  Layer.provideMerge(Upstreams.layer),
  Layer.provideMerge(transport.layer),
  Layer.provideMerge(SimulatedCloud.layerMemory),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))),
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(today.epochMilliseconds))),
  Layer.provideMerge(TestClock.layer())
)

/** What the cases come to on the simulated cloud. */
export const simulatedOutcomes = (suites: Readonly<Record<string, Cases>>) =>
  Outcomes.layerOf(suites, 1, inTime).pipe(Layer.provide(Simulated))
