import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(stage)("a container of secrets", (it) => {
  it.effect("is created with addresses that the gateway issued, and shows those", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const [read, operate] = acme.tokens
      const post = (kind: string, body: object, chunked = false) =>
        call("customer", "POST", `/v1/iaas/key-manager/v1/${kind}`, { token: operate, body, chunked })
      const { secret_ref } = jsonOf(yield* post("secrets", { name: "door" }))
      for (const chunked of [false, true]) {
        const box = { name: "box", type: "generic", secret_refs: [{ name: "key", secret_ref }] }
        const made = yield* post("containers", box, chunked)
        assert.strictEqual(made.status, 201, made.text)
        const path = new URL(jsonOf(made).container_ref).pathname
        const shown = yield* call("customer", "GET", path, { token: read })
        assert.deepStrictEqual(jsonOf(shown).secret_refs, box.secret_refs)
      }
    })
  )

  it.effect("cannot be created with a foreign address, or another tenant's secret", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const post = (token: string, kind: string, body: object) =>
        call("customer", "POST", `/v1/iaas/key-manager/v1/${kind}`, { token, body })
      const { secret_ref } = jsonOf(yield* post(acme.tokens[1], "secrets", { name: "door" }))
      const boxOf = (ref: unknown) => ({
        name: "box",
        type: "generic",
        secret_refs: [{ name: "key", secret_ref: ref }]
      })
      const foreign = yield* post(globex.tokens[2], "containers", boxOf(secret_ref))
      assert.strictEqual(foreign.status, 404, foreign.text)
      for (const ref of [secret_ref.replace(/^http:\/\/[^/]+/, "http://people.example"), 7]) {
        const refused = yield* post(acme.tokens[1], "containers", boxOf(ref))
        assert.strictEqual(refused.status, 400, refused.text)
      }
    })
  )
})
