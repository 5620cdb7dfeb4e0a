import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { cleanSlate } from "@portico/testing/cloud/cleanSlate"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { inTime } from "@portico/testing/clock"
import { Effect } from "effect"

it.effect("an onboarding that the network service refuses leaves nothing, and may be tried again", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const create = { service: "neutron", method: "POST", path: "/v2.0/routers" } as const
    yield* cloud.fault({ ...create, when: "before", as: { status: 503 } })
    const acme = { name: "Acme GmbH", tier: "standard" } as const
    assert.strictEqual((yield* Effect.flip(inTime(onboard(acme)))).code, "onboarding_failed")
    yield* cleanSlate("a refused router")
    assert.strictEqual((yield* inTime(onboard(acme))).tenant.slug, "acme-gmbh")
  }).pipe(Effect.provide(Simulated))
)
