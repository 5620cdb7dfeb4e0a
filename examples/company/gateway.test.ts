import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { Started } from "./started.ts"

layer(Started.layer, { excludeTestServices: true, timeout: "10 minutes" })("the company's gateway", (it) => {
  it.effect("gives a new tenant a queue at the support desk", () =>
    Effect.gen(function* () {
      const { operatorToken, operatorUrl } = yield* Started
      const response = yield* Effect.promise(() =>
        fetch(`${operatorUrl}/v1/tenants`, {
          method: "POST",
          headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
          body: JSON.stringify({ name: "Acme GmbH", tier: "discovery" })
        })
      )
      assert.strictEqual(response.status, 201)
      const { "desk.queues": queues = [] } = yield* (yield* SimulatedCloud).state
      assert.strictEqual(queues.length, 1)
      assert.deepInclude(queues[0], { name: "acme-gmbh" })
    })
  )
})
