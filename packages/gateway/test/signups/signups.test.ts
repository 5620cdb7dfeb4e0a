import { assert, layer } from "@effect/vitest"
import { documents } from "@portico/contract/openapi/documents"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { issueAccessToken } from "@portico/simulator/zitadel/tokens"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, Effect, Layer } from "effect"
import { operator } from "../harness/Cast.ts"
import { violations } from "../routes/conforms.ts"
import { send, withoutChance } from "../harness/http.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"

const signUp = Effect.fnUntraced(function* (
  plane: Plane,
  email: string,
  org_name: string,
  headers: Readonly<Record<string, string>> = {}
) {
  return yield* (yield* TestGateway).call(plane, "POST", "/v1/signup", { body: { email, org_name }, headers })
})

const asOperator = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  return yield* (yield* TestGateway).call("operator", method, path, { token: operator, body })
})

const idOf = Effect.fnUntraced(function* (email: string) {
  const { signups } = jsonOf(yield* asOperator("GET", "/v1/signups?state=pending"))
  return String(signups.find((_: { email: string }) => _.email === email).signup_id)
})

const received =
  '{"status":"received","detail":"Thank you, the signup was received. If it is approved, an e-mail with a link goes to ' +
  "its address. If your organisation uses the service already, nobody has to approve anything: ask its owner to " +
  'invite you."}'

layer(TestGateway.layer)("a signup", (it) => {
  it.effect("gets the same bytes and headers, on both planes, for any state of address and organisation", () =>
    Effect.gen(function* () {
      yield* signUp("customer", "owner@acme.example", "Acme")
      yield* asOperator("POST", `/v1/signups/${yield* idOf("owner@acme.example")}/approve`, { tier: "discovery" })
      const rejected = "eve@initech.example"
      yield* signUp("customer", rejected, "Initech")
      yield* asOperator("POST", `/v1/signups/${yield* idOf(rejected)}/reject`)

      const whose = {
        "somebody new": ["new@globex.example", "Globex"],
        "the same again": ["new@globex.example", "Globex"],
        "the owner of that organisation": ["owner@acme.example", "Acme"],
        "a colleague of the owner": ["bob@acme.example", "Acme"],
        "a stranger who names that organisation": ["bob@globex.example", "ACME"],
        "somebody who was rejected": [rejected, "Initech"],
        "an address that asks for a fourth organisation": ["new@globex.example", "Fourth"]
      } as const
      for (const n of [2, 3]) yield* signUp("customer", "new@globex.example", `Globex ${n}`)
      for (const plane of planes) {
        for (const [who, [email, name]] of Object.entries(whose)) {
          const answer = yield* signUp(plane, email, name)
          assert.deepStrictEqual([answer.status, answer.text], [202, received], who)
          assert.deepStrictEqual(
            withoutChance(answer),
            withoutChance(yield* signUp(plane, "new@globex.example", "Globex")),
            who
          )
          const document = documents.customer
          assert.deepStrictEqual(violations(document, "POST", "/v1/signup", answer), [])
        }
      }
    })
  )

  it.effect("ignores a token, valid or not, and writes only its row", () =>
    Effect.gen(function* () {
      const { signups, ...others } = yield* Memory
      const cloud = yield* SimulatedCloud
      /** That somebody asked is written down all the same, as for every call. */
      const rows = Effect.sync(() =>
        JSON.stringify(
          [others.tenants, others.credentials, others.accounts, others.onboardings].map((_) => [..._.values()])
        )
      )
      yield* cloud.clearCalls
      for (const authorization of ["Bearer garbage", "Basic x", `Bearer ${operator}`]) {
        const [before, count] = [yield* rows, signups.size]
        const answer = yield* signUp("customer", `ann@${authorization.length}.example`, "Soylent", { authorization })
        assert.strictEqual(answer.status, 202, answer.text)
        assert.deepStrictEqual([yield* rows, signups.size], [before, count + 1])
      }
      assert.deepStrictEqual(yield* cloud.calls, [])
    })
  )

  it.effect("makes the owner who follows the mailed link the account's owner", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { world } = yield* SimulatedCloud
      yield* signUp("customer", "Hal.Lee@Hooli.example", "Hooli")
      const id = yield* idOf("Hal.Lee@hooli.example")
      const answer = yield* asOperator("POST", `/v1/signups/${id}/approve`, { tier: "standard" })
      assert.strictEqual(answer.status, 200, answer.text)
      const approved = jsonOf(answer)
      assert.deepStrictEqual(Object.keys(approved).toSorted(), ["admission", "credential", "owner", "signup", "tenant"])
      assert.deepInclude(approved.signup, {
        signup_id: id,
        state: "onboarded",
        email: "Hal.Lee@hooli.example",
        org_name: "Hooli",
        project_id: approved.tenant.project_id
      })
      assert.isNotEmpty(approved.credential.client_secret)

      const { user_id } = approved.owner
      const link = yield* send((yield* Server).url, "POST", "/idp/ui/login/user/init", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ userID: user_id, password: "a-password" }).toString()
      })
      assert.strictEqual(link.status, 200)
      const token = issueAccessToken(world, user_id, yield* Clock.currentTimeMillis)
      const { tenant, tier, roles } = jsonOf(yield* call("customer", "GET", "/v1/whoami", { token }))
      assert.deepStrictEqual([tenant.id, tier, roles], [approved.tenant.project_id, 2, ["customer-owner"]])
    })
  )
})

const limited = (settings: Readonly<Record<string, string>>) =>
  TestGateway.layerOf(Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), ...settings }))).pipe(
    Layer.provideMerge(TestGateway.cloud)
  )

const from = (address: string) => ({ "x-forwarded-for": address })

const tooMany = { status: 429, body: { detail: "Too many signups; try again later", code: "rate_limited" } }

layer(limited({ SIGNUPS_TOTAL: "4", SIGNUPS_PER_SOURCE: "2", TRUSTED_PROXIES: "127.0.0.0/8, ::1" }))(
  "a signup above the limit",
  (it) => {
    it.effect("is refused with the same bytes and headers, from one address or from everywhere, on both planes", () =>
      Effect.gen(function* () {
        const one = (n: number, address: string, plane: Plane = "customer") =>
          signUp(plane, `ann@org-${n}.example`, "Acme", from(address))
        for (const n of [1, 2]) assert.strictEqual((yield* one(n, "192.0.2.1")).status, 202)
        const fromOne = yield* one(3, "198.51.100.9, 192.0.2.1")
        assert.deepStrictEqual({ status: fromOne.status, body: jsonOf(fromOne) }, tooMany)
        assert.strictEqual(fromOne.headers["retry-after"], "600")
        assert.deepStrictEqual(violations(documents.customer, "POST", "/v1/signup", fromOne), [])

        // Two addresses of one site of IPv6.
        assert.strictEqual((yield* one(4, "2001:db8::1")).status, 202)
        assert.strictEqual((yield* one(5, "2001:db8::2")).status, 202)
        const fromAll = yield* one(6, "192.0.2.3")
        assert.deepStrictEqual(withoutChance(fromAll), withoutChance(fromOne))
        assert.deepStrictEqual(withoutChance(yield* one(7, "192.0.2.4", "operator")), withoutChance(fromOne))
        const { signups } = jsonOf(yield* asOperator("GET", "/v1/signups"))
        assert.lengthOf(signups, 4)
      })
    )
  }
)

layer(limited({ SIGNUPS_PER_SOURCE: "2" }))("a signup without a trusted proxy", (it) => {
  it.effect("counts against the connection's address, despite forged headers", () =>
    Effect.gen(function* () {
      const statuses = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.map(signUp("customer", `ann@org-${n}.example`, "Acme", from(`192.0.2.${n}`)), (_) => _.status)
      )
      assert.deepStrictEqual(statuses, [202, 202, 429])
    })
  )
})
