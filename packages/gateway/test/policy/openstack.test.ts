import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { byCredential, byToken, compatible, key, login, refusalOf, stock } from "../harness/Stock.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

/** The policy of the whole account of acme. */
const policy = Effect.fnUntraced(function* (more: object) {
  const { call } = yield* TestGateway
  const { acme } = yield* Cast
  const path = `/v1/access/policy?project_id=${acme.projectId}`
  const answer = yield* call("operator", "PUT", path, { token: operator, body: { ou: "", ...more } })
  assert.strictEqual(answer.status, 200, answer.text)
})

const denial = (deny: string) => ({
  status: 403,
  detail: `The access policy of the whole account denies '${deny}'. GET /v1/org/effective shows the effective policy.`,
  code: "policy_denied"
})

layer(compatible(), { excludeTestServices: true })("policies hold for stock clients", (it) => {
  it.effect("a deny of the identity service refuses the token call and a token's reading", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { clientId, pat, secret } = yield* key(1, "CI")
      const show = () => stock(pat, "GET", "/identity/v3/auth/tokens", { headers: { "x-subject-token": pat } })
      yield* policy({ denies: ["identity:operate"] })
      assert.strictEqual((yield* login(byToken(acme.tokens[0]))).status, 201, "a login changes nothing")
      assert.strictEqual((yield* show()).status, 200)
      yield* policy({ denies: ["identity"] })
      for (const identity of [byToken(acme.tokens[0]), byCredential(clientId, secret)]) {
        assert.deepInclude(refusalOf(yield* login(identity)), denial("identity"))
      }
      assert.deepInclude(refusalOf(yield* show()), denial("identity"))
      yield* policy({})
      assert.strictEqual((yield* show()).status, 200)
    })
  )

  it.effect("a deny of a service hides its versions, and refuses it in every spelling", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const [token] = acme.tokens
      yield* policy({ denies: ["compute:read"] })
      for (const path of ["/compute", "/compute/", "/compute/v2.1", "/compute/v2.1/servers", "/compute/servers"]) {
        assert.deepInclude(refusalOf(yield* stock(token, "GET", path)), denial("compute:read"), path)
      }
      assert.strictEqual((yield* stock(token, "GET", "/network/v2.0/networks")).status, 200)
      yield* policy({})
      assert.strictEqual((yield* stock(token, "GET", "/compute/v2.1/servers")).status, 200)
    })
  )

  it.effect("a token has the roles of the lowered tier", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const roles = Effect.map(login(byToken(acme.tokens[2])), (_) =>
        jsonOf(_).token.roles.map((_: { readonly name: string }) => _.name)
      )
      assert.deepStrictEqual(yield* roles, ["reader", "member"])
      yield* policy({ max_tier: 0 })
      assert.deepStrictEqual(yield* roles, ["reader"])
      yield* policy({})
    })
  )
})
