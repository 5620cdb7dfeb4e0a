import { sampled } from "@portico/testing/sample/sampled"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import { Tapped } from "./odd.ts"
import { bearer, sent } from "../rules/sent.ts"
import { tenants } from "../rules/Spelling.ts"
import { spellings } from "../rules/spellings.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

layer(Tapped)("the rules in a running gateway", (it) => {
  const grouped = Map.groupBy(spellings, (_) => _.expect)
  for (const [expect, rows] of grouped) {
    it.effect(`${expect}: ${rows.length} spellings, for every tier and on both planes`, () =>
      Effect.gen(function* () {
        for (const row of sampled(expect, 24, rows)) yield* sent(row, bearer)
      })
    )
  }

  it.effect("tenants are refused by tier before the body is read", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      assert.strictEqual(tenants.length, 2)
      const answer = yield* call("customer", "POST", "/v1/iaas/network/security-group-rules", {
        token: acme.tokens[0],
        body: "no json at all"
      })
      assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "tier_too_low"])
    })
  )

  const unreadable: Readonly<Record<string, Parameters<TestGateway["Service"]["call"]>[3]>> = {
    "malformed JSON": { body: "{" },
    "a byte order mark": { body: `\uFEFF{"router": {}}` },
    "UTF-16": { body: Buffer.from('{"router": {}}', "utf16le") },
    "numbers that no JSON has": { body: '{"router": {"x": NaN}}' },
    "bytes that are not UTF-8": { body: Buffer.from([0x22, 0xff, 0x22]) }
  }
  for (const [what, asked] of Object.entries(unreadable)) {
    it.effect(`a body read by a rule that is ${what} is a 400`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { call } = yield* TestGateway
        const answer = yield* call("customer", "POST", "/v1/iaas/network/routers", { ...asked, token: acme.tokens[1] })
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [400, "body_not_json"])
      })
    )
  }

  it.effect("a compressed body is a 415, and one above the limit a 413", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const routers = (asked: object) =>
        call("customer", "POST", "/v1/iaas/network/routers", { token: acme.tokens[1], ...asked })
      const packed = yield* routers({ headers: { "content-encoding": "gzip" }, body: "{}" })
      assert.deepStrictEqual([packed.status, jsonOf(packed).code], [415, "encoded_body"])
      for (const chunked of [false, true]) {
        const large = yield* routers({ body: JSON.stringify("x".repeat(1024 * 1024)), chunked })
        assert.deepStrictEqual([large.status, jsonOf(large).code], [413, "body_too_large"])
      }
      const many = yield* routers({ body: { router: { name: "r" }, further: Array.from({ length: 20_000 }, () => 0) } })
      assert.deepStrictEqual([many.status, jsonOf(many).code], [413, "too_many_values"])
    })
  )
})
