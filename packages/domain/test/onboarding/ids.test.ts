import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { ServiceName } from "@portico/simulator/Wire"
import { inTime } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Effect } from "effect"

const acme = { name: "Acme", tier: "standard" } as const
const half = "a\uD800"

/** Answers to a creation whose id no path can hold. */
const answers: ReadonlyArray<readonly [service: ServiceName, path: string, body: unknown]> = [
  ["keystone", "/v3/projects", { project: { id: half, name: "acme", domain_id: half, description: half, tags: [] } }],
  ["keystone", "/v3/users", { user: { id: half, name: half } }],
  ["neutron", "/v2.0/networks", { network: { id: half, name: half } }],
  ["neutron", "/v2.0/routers", { router: { id: half, name: half } }]
]

for (const [service, path, body] of answers) {
  it.effect(`an id of ${service} ${path} with a lone surrogate fails the onboarding as onboarding_failed`, () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ service, method: "POST", path, when: "after", as: { status: 201, body } })
      const failure = yield* Effect.flip(inTime(onboard(acme)))
      assert.strictEqual(failure.code, "onboarding_failed")
    }).pipe(Effect.provide(Simulated))
  )
}
