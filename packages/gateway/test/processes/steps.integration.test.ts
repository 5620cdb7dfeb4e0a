import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { cleanSlate, cloudState, fault, startGateway, story } from "./harness.ts"

story("the starter example is a complete gateway, whose step is part of every onboarding", () =>
  Effect.gen(function* () {
    const gateway = yield* startGateway({}, "examples/starter/gateway.ts")

    yield* fault({
      service: "keystone",
      method: "PUT",
      path: "/v3/projects/*/tags/*",
      when: "after",
      as: { status: 403 }
    })
    const refused = yield* gateway.onboard("Acme GmbH")
    assert.strictEqual(refused.status, 502)
    assert.include(refused.body.detail, "Onboarding stopped at cost report tag: keystone tag project")
    yield* cleanSlate

    assert.strictEqual((yield* gateway.onboard("Acme GmbH")).status, 201)
    assert.include(JSON.stringify((yield* cloudState)["keystone.projects"]), '"cost-report"')
  })
)
