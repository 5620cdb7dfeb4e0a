import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Everything, { excludeTestServices: true })("an agent over HTTP", (it) => {
  it.effect("calls a tool, and the call is among the tenant's events", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const client = yield* connected(acme.tokens[0])
      const { structuredContent } = yield* Effect.promise(() => client.callTool({ name: "identity_whoami" }))
      assert.deepInclude(structuredContent, {
        tier: 0,
        tenant: { id: acme.projectId, name: "Acme", source: "credential_store" }
      })
      const { events } = jsonOf(
        yield* call("customer", "GET", "/v1/events?topic=agent.actions", { token: acme.tokens[0] })
      )
      assert.deepInclude(events[0].data, { tool: "identity_whoami", outcome: "succeeded" })
    }).pipe(Effect.scoped)
  )
})
