import { assert, layer } from "@effect/vitest"
import { version } from "@portico/contract/Api"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { consoleClientId } from "@portico/simulator/zitadel/state"
import { Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { Logs } from "../harness/Logs.ts"
import { cookieOf, loginOf, ofPage, person, signedIn } from "./logins.ts"

const Stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer), Layer.provideMerge(Logs.layer))

const attributes = "; Path=/; Secure; HttpOnly; SameSite=Strict"
const cleared = (plane: Plane) => `__Host-portico-${plane}=${attributes}; Max-Age=0`

const session = "/console/session"
const refresh = "/console/session/refresh"

const away = {
  service: "zitadel",
  method: "POST",
  path: "/oauth/v2/token",
  times: "always",
  when: "before",
  as: { status: 503 }
} as const

layer(Stage, { excludeTestServices: true })("a session of the console", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: the page learns how to log in`, () =>
      Effect.gen(function* () {
        const { agentUrl, call, url } = yield* TestGateway
        const issuer = `${(yield* Server).url}/idp`
        const answer = yield* call(plane, "GET", "/console/config.json")
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        const { scope, ...others } = jsonOf(answer)
        assert.includeMembers(scope.split(" "), ["openid", "offline_access"])
        assert.deepStrictEqual(others, {
          plane,
          version,
          client_id: consoleClientId,
          authorization_endpoint: `${issuer}/oauth/v2/authorize`,
          end_session_endpoint: `${issuer}/oidc/v1/end_session`,
          your_address: "127.0.0.1",
          object_storage_origin: (yield* Server).url,
          api_url: url[plane],
          agent_url: agentUrl
        })
      })
    )

    it.effect(`${plane}: begins with a code, goes on with the cookie, and ends`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { answer, cookie, token } = yield* signedIn(plane)
        assert.deepStrictEqual([answer.status, Object.keys(jsonOf(answer))], [200, ["access_token", "expires_in"]])
        assert.match(answer.headers["set-cookie"] ?? "", new RegExp(`^__Host-portico-${plane}=[\\w-]+${attributes}$`))
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        if (plane === "customer") {
          assert.strictEqual(jsonOf(yield* call(plane, "GET", "/v1/whoami", { token })).user_email, person)
        }
        // The cookie is a session of the console, and no login at the API.
        assert.strictEqual((yield* call(plane, "GET", "/v1/whoami", { headers: { cookie } })).status, 401)

        const renewed = yield* ofPage(plane, "POST", refresh, { cookie })
        assert.deepStrictEqual([renewed.status, Object.keys(jsonOf(renewed))], [200, ["access_token", "expires_in"]])
        assert.notStrictEqual(jsonOf(renewed).access_token, token)
        const next = cookieOf(renewed)
        assert.notStrictEqual(next, cookie)

        const ended = yield* ofPage(plane, "DELETE", session, { cookie: next })
        assert.deepStrictEqual([ended.status, ended.headers["set-cookie"]], [204, cleared(plane)])
        const late = yield* ofPage(plane, "POST", refresh, { cookie: next })
        assert.deepStrictEqual([late.status, jsonOf(late).code], [401, "session_ended"])
        assert.strictEqual(late.headers["set-cookie"], cleared(plane))
        assert.strictEqual((yield* ofPage(plane, "DELETE", session, { cookie: next })).status, 204)
        assert.strictEqual((yield* ofPage(plane, "DELETE", session)).status, 204)
      })
    )
  }

  it.effect("two tabs that renew at once share one renewal; so does one that comes a moment later", () =>
    Effect.gen(function* () {
      const { cookie } = yield* signedIn("customer")
      const renewal = ofPage("customer", "POST", refresh, { cookie })
      const [one, two] = yield* Effect.all([renewal, renewal], { concurrency: 2 })
      const three = yield* renewal
      for (const answer of [two, three]) {
        assert.deepStrictEqual([answer.status, jsonOf(answer).access_token], [200, jsonOf(one).access_token])
        // Each has a cookie with which the session goes on.
        assert.notStrictEqual(cookieOf(answer), cookie)
      }
      const [four, five] = [
        yield* ofPage("customer", "POST", refresh, { cookie: cookieOf(two) }),
        yield* ofPage("customer", "POST", refresh, { cookie: cookieOf(three) })
      ]
      assert.deepStrictEqual([four.status, five.status], [200, 200])
      assert.strictEqual(jsonOf(four).access_token, jsonOf(five).access_token)
    })
  )

  it.effect("a logout ends what another tab has just renewed", () =>
    Effect.gen(function* () {
      const { cookie } = yield* signedIn("customer")
      const renewed = yield* ofPage("customer", "POST", refresh, { cookie })
      assert.strictEqual((yield* ofPage("customer", "DELETE", session, { cookie })).status, 204)
      for (const old of [cookie, cookieOf(renewed)]) {
        assert.strictEqual(jsonOf(yield* ofPage("customer", "POST", refresh, { cookie: old })).code, "session_ended")
      }
    })
  )

  it.effect("a logout ends what a tab renews meanwhile, and asks the provider once, also when it is away", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { cookie } = yield* signedIn("customer")
      yield* cloud.fault({ ...away, path: "/oauth/v2/revoke" })
      const logout = ofPage("customer", "DELETE", session, { cookie })
      assert.deepStrictEqual([(yield* logout).status, (yield* logout).status], [204, 204])
      const late = yield* ofPage("customer", "POST", refresh, { cookie })
      assert.deepStrictEqual([late.status, jsonOf(late).code], [401, "session_ended"])
      assert.strictEqual(late.headers["set-cookie"], cleared("customer"))
      const lines = (yield* (yield* Logs).lines).filter((_) => _.includes("could not be revoked"))
      assert.lengthOf(lines, 1)
      yield* cloud.clearFaults
    })
  )

  const foreign = [
    ["another origin", { origin: "https://elsewhere.example" }],
    ["no origin", { origin: "" }],
    ["an opaque origin", { origin: "null" }],
    ["the same host with TLS", { origin: "https://127.0.0.1" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another port of the host", { "sec-fetch-site": "same-site" }]
  ] as const
  for (const [name, headers] of foreign) {
    it.effect(`is refused to ${name}, and left as it was`, () =>
      Effect.gen(function* () {
        const { cookie } = yield* signedIn("customer")
        const body = yield* loginOf("customer")
        for (const [method, path, asked] of [
          ["POST", session, { body }],
          ["POST", refresh, { cookie }],
          ["DELETE", session, { cookie }]
        ] as const) {
          const answer = yield* ofPage("customer", method, path, { ...asked, headers })
          assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "foreign_origin"], `${method} ${path}`)
          assert.notProperty(answer.headers, "set-cookie")
        }
        assert.strictEqual((yield* ofPage("customer", "POST", refresh, { cookie })).status, 200)
      })
    )
  }

  it.effect("a cookie of the other plane, a changed one and none are no session", () =>
    Effect.gen(function* () {
      const { cookie } = yield* signedIn("customer")
      const [, value = ""] = cookie.split("=")
      const changed = `${value.slice(0, -2)}${value.endsWith("AA") ? "BB" : "AA"}`
      const other = yield* ofPage("operator", "POST", refresh, { cookie: `__Host-portico-operator=${value}` })
      assert.deepStrictEqual([other.status, jsonOf(other).code], [401, "session_missing"])
      assert.strictEqual(other.headers["set-cookie"], cleared("operator"))
      const tampered = yield* ofPage("customer", "POST", refresh, { cookie: `__Host-portico-customer=${changed}` })
      assert.deepStrictEqual([tampered.status, jsonOf(tampered).code], [401, "session_missing"])
      const without = yield* ofPage("customer", "POST", refresh)
      assert.deepStrictEqual([without.status, jsonOf(without).code], [401, "session_missing"])
      assert.notProperty(without.headers, "set-cookie")
    })
  )

  it.effect("only JSON with all fields and the plane's own address is a login", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const body = yield* loginOf("customer")
      const post = (headers: Readonly<Record<string, string>>, given: unknown = JSON.stringify(body)) =>
        ofPage("customer", "POST", session, { body: given, headers })
      const statuses = [
        yield* post({ "content-type": "text/plain" }),
        yield* post({ "content-type": "application/x-www-form-urlencoded" }),
        yield* post({}),
        yield* post({ "content-type": "application/json" }, "{"),
        yield* post({}, { ...body, redirect_uri: `${url.operator}/console/signed-in` }),
        yield* post({}, { ...body, code_verifier: "short" }),
        yield* post({}, { ...body, code: "" }),
        yield* post({}, { ...body, more: 1 }),
        yield* post({}, [])
      ].map((_) => _.status)
      assert.deepStrictEqual(statuses, [415, 415, 415, 422, 422, 422, 422, 422, 422])
      assert.strictEqual((yield* post({}, body)).status, 200)
    })
  )

  it.effect("a code that the provider refuses is no login", () =>
    Effect.gen(function* () {
      const body = yield* loginOf("customer")
      const other = yield* ofPage("customer", "POST", session, { body: { ...body, code_verifier: "w".repeat(43) } })
      assert.deepStrictEqual([other.status, jsonOf(other).code], [401, "login_refused"])
      assert.notProperty(other.headers, "set-cookie")
    })
  )

  it.effect("a provider that is away ends no session", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { cookie } = yield* signedIn("customer")
      yield* cloud.fault(away)
      const answer = yield* ofPage("customer", "POST", refresh, { cookie })
      assert.deepStrictEqual([answer.status, jsonOf(answer).code], [503, "identity_provider_unreachable"])
      assert.notProperty(answer.headers, "set-cookie")
      yield* cloud.clearFaults
      assert.strictEqual((yield* ofPage("customer", "POST", refresh, { cookie })).status, 200)
    })
  )

  it.effect("no secret of it is in the log", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { cookie, token } = yield* signedIn("customer")
      const body = yield* loginOf("customer")
      yield* cloud.fault(away)
      yield* ofPage("customer", "POST", session, { body })
      yield* ofPage("customer", "POST", refresh, { cookie })
      yield* cloud.clearFaults
      const log = (yield* (yield* Logs).lines).join("\n")
      assert.include(log, "could not be exchanged")
      for (const secret of [token, body.code, body.code_verifier, cookie.split("=")[1] ?? ""])
        assert.notInclude(log, secret)
    })
  )
})
