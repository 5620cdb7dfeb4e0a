import { NodeRuntime } from "@effect/platform-node"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { outliveOutputs } from "@portico/simulator/outputs"
import { Console, Effect } from "effect"
import { Simulated } from "./simulated.ts"

outliveOutputs()

/** Onboards a tenant with both steps, and prints what was made. */
const program = Effect.gen(function* () {
  const { tenant } = yield* onboard({ name: "Acme GmbH", tier: "standard" })
  const cloud = yield* SimulatedCloud
  const state = yield* cloud.state
  const calls = (yield* cloud.calls).filter((_) => _.service === "company")
  yield* Console.log("tenant", tenant)
  yield* Console.log("in the inventory", ...(state["cmdb.entries"] ?? []))
  yield* Console.log("in the DNS", ...(state["designate.zones"] ?? []))
  yield* Console.log(
    "asked of the company",
    calls.map((_) => `${_.method} ${_.path}`)
  )
})

NodeRuntime.runMain(Effect.provide(program, Simulated))
