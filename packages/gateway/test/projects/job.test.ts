import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { repeatInTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { operator, tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const working = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), PURGE_SECONDS: "1" }))
).pipe(Layer.provideMerge(TestGateway.cloud))

layer(working)("a gateway with its jobs", (it) => {
  it.effect("carries out requested deletions, whose keys are refused afterwards", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { projectId, tokens } = yield* tenant("Acme")
      const project = `/v1/projects/${projectId}`
      const begun = yield* call("operator", "DELETE", `${project}?confirm=acme`, { token: operator })
      assert.strictEqual(begun.status, 202, begun.text)
      const over = yield* repeatInTime(call("operator", "GET", project, { token: operator }), (_) => _.status === 404)
      assert.deepStrictEqual(jsonOf(over), { detail: `Project '${projectId}' not found`, code: "project_not_found" })
      const key = yield* call("customer", "GET", "/v1/whoami", { token: tokens[2] })
      assert.deepStrictEqual(jsonOf(key), { detail: "Credential has been revoked", code: "credential_revoked" })
      assert.strictEqual((yield* tenant("Acme")).name, "Acme")
    })
  )
})
