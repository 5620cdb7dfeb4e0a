import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { tenant } from "../Cast.ts"
import { TestGateway } from "../TestGateway.ts"
import { realGateway } from "./RealGateway.ts"

layer(realGateway, { excludeTestServices: true, timeout: "60 seconds" })("the gateway on the real systems", (it) => {
  it.effect("makes a tenant", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const acme = yield* tenant("Real Acme")
      const networks = yield* call("customer", "GET", "/v1/iaas/network/networks", { token: acme.tokens[0] })
      assert.strictEqual(networks.status, 200, networks.text)
    })
  )
})
