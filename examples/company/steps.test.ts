import { assert } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { testOnboarding } from "@portico/testing/onboarding/testOnboarding"
import { Effect } from "effect"
import { Simulated } from "./simulated.ts"

/** A tenant has one queue. After a failure it has none, which `testOnboarding` sees by itself. */
const has = Effect.fnUntraced(function* (_: unknown, because: string) {
  const { "desk.queues": queues = [] } = yield* (yield* SimulatedCloud).state
  assert.strictEqual(queues.length, 1, because)
  assert.deepInclude(queues[0], { name: "acme-gmbh" }, because)
})

await testOnboarding({ simulated: Simulated, has })
