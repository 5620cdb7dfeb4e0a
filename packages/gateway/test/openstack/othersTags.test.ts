import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const asked = Effect.fnUntraced(function* (token: string, method: string, path: string, body?: unknown) {
  const { call } = yield* TestGateway
  return yield* call(token === operator ? "operator" : "customer", method, `/v1/iaas/network/${path}`, { token, body })
})

const external = Effect.gen(function* () {
  const { acme } = yield* Cast
  return String(jsonOf(yield* asked(acme.tokens[0], "GET", "networks?router:external=true")).networks[0].id)
})

/** Every way to write tags: what Neutron answers where the thing is the caller's. */
const ways: ReadonlyArray<readonly [method: string, below: string, status: number, body?: unknown]> = [
  ["PUT", "tags", 200, { tags: ["one", "two"] }],
  ["PUT", "tags/three", 201],
  ["DELETE", "tags/three", 204],
  ["DELETE", "tags", 204]
]

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)))("tags of the network service", (it) => {
  // Neutron answers a call behind the prefix of an extension as well.
  for (const prefix of ["", "qos/"]) {
    it.effect(`of the own network are written at ${prefix}networks`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const made = yield* asked(acme.tokens[1], "POST", "networks", { network: { name: "own" } })
        const own = `networks/${jsonOf(made).network.id}`
        for (const [method, below, status, body] of ways) {
          const answer = yield* asked(acme.tokens[2], method, `${prefix}${own}/${below}`, body)
          assert.strictEqual(answer.status, status, `${method} ${below}: ${answer.text}`)
        }
      })
    )

    it.effect(`of the external network are written by administrators alone, at ${prefix}networks`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const one = `networks/${yield* external}`
        for (const [method, below, , body] of ways) {
          const refused = yield* asked(acme.tokens[2], method, `${prefix}${one}/${below}`, body)
          assert.strictEqual(refused.status, 403, `${method} ${below}: ${refused.text}`)
          assert.strictEqual(jsonOf(refused).code, "platform_act_refused")
          const { tags } = jsonOf(yield* asked(acme.tokens[0], "GET", `${one}/tags`))
          assert.deepStrictEqual(tags, [], `${method} ${below}`)
        }
        for (const [method, below, status, body] of ways) {
          const answer = yield* asked(operator, method, `${prefix}${one}/${below}`, body)
          assert.strictEqual(answer.status, status, `${method} ${below}: ${answer.text}`)
        }
      })
    )
  }
})
