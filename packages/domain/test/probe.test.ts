import { it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { tables } from "./cleanSlate.ts"
import { inTime } from "./clock.ts"
import { Simulated } from "./simulated.ts"
it.effect("probe", () => Effect.gen(function*() {
  const cloud = yield* SimulatedCloud
  yield* cloud.fault({service: "keystone", method: "PUT", path: "/v3/projects/*/tags/*", when: "before", as: {status: 403}})
  yield* Effect.exit(inTime(onboard({name: "Acme GmbH", tier: "standard"})))
  console.log(JSON.stringify(yield* tables, null, 1))
  console.log((yield* cloud.calls).slice(24).map(_ => `${_.at} ${_.service} ${_.method} ${_.path} ${_.query} ${_.status}`).join("\n"))
}).pipe(Effect.provide(Simulated)))
