import { assert } from "@effect/vitest"
import type { Onboarded } from "@portico/contract/Tenants"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { testOnboarding } from "@portico/testing/onboarding/testOnboarding"
import { Effect } from "effect"
import { Simulated } from "./simulated.ts"

/** The tenant has one entry in the inventory, and one zone, in its project. */
const has = Effect.fnUntraced(function* ({ tenant }: Onboarded, because: string) {
  const state = yield* (yield* SimulatedCloud).state
  const [entry, ...entries] = state["cmdb.entries"] ?? []
  assert.deepInclude(entry, { key: "acme-gmbh", owner: "Acme GmbH" }, because)
  const [zone, ...zones] = state["designate.zones"] ?? []
  assert.deepInclude(zone, { name: "acme-gmbh.tenants.example.org.", project_id: tenant.project_id }, because)
  assert.deepStrictEqual([entries, zones], [[], []], because)
})

await testOnboarding({ simulated: Simulated, has, kinds: [{ status: 503 }, "reset"] })
