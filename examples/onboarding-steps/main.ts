import { NodeRuntime } from "@effect/platform-node"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Console, Effect } from "effect"
import { Company } from "./company.ts"
import { Simulated } from "./simulated.ts"

/** Onboards a tenant with both steps, and prints what was made. */
const program = Effect.gen(function* () {
  const { tenant } = yield* onboard({ name: "Acme GmbH", tier: "standard" })
  const { calls, entries } = yield* Company
  const { world } = yield* SimulatedCloud
  yield* Console.log("tenant", tenant)
  yield* Console.log("in the inventory", ...entries.values())
  yield* Console.log("in the DNS", ...Object.values(world.designate.zones))
  yield* Console.log("asked of the company", calls)
})

NodeRuntime.runMain(Effect.provide(program, Simulated))
