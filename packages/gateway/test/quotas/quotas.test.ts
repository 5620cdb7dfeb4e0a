import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Everything)("the quotas document over the wire", (it) => {
  it.effect("a key of the lowest tier reads it on both planes, and an administrator any project's", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, globex } = yield* Cast
      for (const plane of planes) {
        const own = yield* call(plane, "GET", "/v1/quotas", { token: acme.tokens[0] })
        assert.strictEqual(own.status, 200, own.text)
        const shown = (projectId: string) => call(plane, "GET", `/v1/quotas?project=${projectId}`, { token: operator })
        const asked = yield* shown(acme.projectId)
        const other = yield* shown(globex.projectId)
        if (plane === "operator") {
          assert.deepStrictEqual([asked.status, jsonOf(asked)], [200, jsonOf(own)])
          assert.strictEqual(jsonOf(other).project_id, globex.projectId)
        } else {
          const refusals = [asked, other, yield* shown("nobody")].map((_) => [_.status, jsonOf(_).code])
          assert.deepStrictEqual(
            refusals,
            Array.from({ length: 3 }, () => [403, "project_override_refused"])
          )
        }
      }
    })
  )

  it.effect("failing services do not fail the document, and their usage is null", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const down = ["nova", "cinder", "neutron", "octavia", "designate", "rgw", "kubernetes"] as const
      for (const service of down) {
        yield* cloud.fault({ service, method: "GET", path: "**", times: "always", when: "before", as: { status: 503 } })
      }
      const answer = yield* Effect.ensuring(
        inTime(call("customer", "GET", "/v1/quotas", { token: acme.tokens[0] })),
        cloud.clearFaults
      )
      assert.strictEqual(answer.status, 200, answer.text)
      const { clusters, object_storage, ...quotas } = jsonOf(answer)
      const { limit } = jsonOf(yield* call("customer", "GET", "/v1/quotas", { token: acme.tokens[0] })).compute.cores
      assert.deepStrictEqual(quotas.compute.cores, { limit, used: null, source: "unavailable" })
      assert.deepInclude(object_storage.bytes, { enforced: null, used: null, source: "unavailable" })
      assert.deepInclude(clusters, { used: null, source: "tier" })
      assert.deepInclude(quotas.credentials, { source: "gateway" })
      assert.notInclude(answer.text, '"used":0,"source":"unavailable"')
    })
  )
})
