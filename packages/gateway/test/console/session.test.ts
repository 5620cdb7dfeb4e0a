import { assert, layer } from "@effect/vitest"
import { version } from "@portico/contract/Api"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { consoleClientId } from "@portico/simulator/zitadel/state"
import { inTime, settle, until } from "@portico/testing/clock"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { Logs } from "../harness/Logs.ts"
import { cookieOf, loginOf, nearTheEnd, ofPage, person, signedIn } from "./logins.ts"

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

layer(Stage)("a session of the console", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: the page gets the login's settings`, () =>
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

    it.effect(`${plane}: begins with a code, continues with the cookie, and ends`, () =>
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

        const again = yield* ofPage(plane, "POST", refresh, { cookie })
        assert.deepStrictEqual([again.status, Object.keys(jsonOf(again))], [200, ["access_token", "expires_in"]])
        assert.strictEqual(jsonOf(again).access_token, token)
        assert.notProperty(again.headers, "set-cookie")

        const ended = yield* ofPage(plane, "DELETE", session, { cookie })
        assert.deepStrictEqual([ended.status, ended.headers["set-cookie"]], [204, cleared(plane)])
        const late = yield* ofPage(plane, "POST", refresh, { cookie })
        assert.deepStrictEqual([late.status, jsonOf(late).code], [401, "session_ended"])
        assert.notProperty(late.headers, "set-cookie")
        assert.strictEqual((yield* ofPage(plane, "DELETE", session, { cookie })).status, 204)
        assert.strictEqual((yield* ofPage(plane, "DELETE", session)).status, 204)
      })
    )
  }

  it.effect("the cookie stays the same across a renewal, and every window has the same token", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { cookie, token } = yield* signedIn("customer")
      yield* nearTheEnd(cookie)
      yield* cloud.clearCalls
      const renewal = ofPage("customer", "POST", refresh, { cookie })
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => renewal),
        { concurrency: "unbounded" }
      )
      const tokens = new Set([...answers, yield* renewal].map((_) => jsonOf(_).access_token))
      assert.lengthOf([...tokens], 1)
      assert.notInclude([...tokens], token)
      for (const answer of answers) assert.notProperty(answer.headers, "set-cookie")
      assert.lengthOf(
        (yield* cloud.calls).filter((_) => _.path === away.path),
        1
      )
    })
  )

  for (const plane of planes) {
    it.effect(`${plane}: a sign-out at one replica ends windows, tokens and streams at the other one`, () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        const first = yield* TestGateway
        const second = Context.get(yield* Layer.build(TestGateway.replica), TestGateway)
        const at = (gateway: TestGateway["Service"], method: string, path: string, cookie: string) =>
          Effect.provideService(ofPage(plane, method, path, { cookie }), TestGateway, gateway)
        const { cookie, token } = yield* signedIn(plane)
        for (const gateway of [first, second]) {
          const window = yield* at(gateway, "POST", refresh, cookie)
          assert.deepStrictEqual([window.status, jsonOf(window).access_token], [200, token])
        }
        const whoami = (gateway: TestGateway["Service"]) => gateway.call(plane, "GET", "/v1/whoami", { token })
        const before = (yield* whoami(second)).status
        assert.strictEqual((yield* whoami(first)).status, before)
        const stream = yield* Effect.forkChild(second.call(plane, "GET", "/v1/events/tail", { token }))
        yield* settle
        for (const gateway of [first, second, first, second]) yield* at(gateway, "POST", refresh, cookie)
        yield* TestClock.adjust("2 minutes")
        yield* settle
        assert.isUndefined(stream.pollUnsafe(), "the stream was cut")

        yield* cloud.fault({ ...away, path: "/oauth/v2/revoke" })
        assert.strictEqual((yield* at(first, "DELETE", session, cookie)).status, 204)
        yield* settle
        for (const gateway of [first, second]) {
          const refused = yield* whoami(gateway)
          assert.deepStrictEqual([refused.status, jsonOf(refused).code], [401, "token_inactive"])
          assert.strictEqual(jsonOf(yield* at(gateway, "POST", refresh, cookie)).code, "session_ended")
        }
        // The stream ends, though the provider has revoked nothing.
        yield* inTime(Fiber.await(stream))
        yield* cloud.clearFaults
        yield* TestClock.adjust("2 minutes")
        for (const gateway of [first, second]) {
          assert.strictEqual((yield* whoami(gateway)).status, 401)
          assert.strictEqual(jsonOf(yield* at(gateway, "POST", refresh, cookie)).code, "session_ended")
        }
        const lines = (yield* (yield* Logs).lines).filter((_) => _.includes("could not be revoked yet"))
        assert.isNotEmpty(lines)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("a late refusal does not remove the new session's cookie, and a sign-out does", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const former = yield* signedIn("customer")
      yield* nearTheEnd(former.cookie)
      yield* cloud.clearCalls
      yield* cloud.fault({ ...away, times: 1, as: { delay_ms: 4000 } })
      const window = yield* Effect.forkChild(ofPage("customer", "POST", refresh, { cookie: former.cookie }))
      yield* until(Effect.map(cloud.calls, (_) => _.some(({ path }) => path === away.path)))
      const body = yield* loginOf("customer")
      const login = yield* ofPage("customer", "POST", session, { body, cookie: former.cookie })
      assert.strictEqual(login.status, 200)
      assert.isUndefined(window.pollUnsafe(), "the refresh was answered before")
      const refused = yield* inTime(Fiber.join(window))
      assert.deepStrictEqual([refused.status, jsonOf(refused).code], [401, "session_ended"])

      // As a browser keeps it, by the answers in their order.
      const kept = [login, refused].map(cookieOf).findLast((_) => _ !== "") ?? ""
      const now = yield* ofPage("customer", "POST", refresh, { cookie: kept })
      assert.deepStrictEqual([now.status, jsonOf(now).access_token], [200, jsonOf(login).access_token])
      const ended = yield* ofPage("customer", "DELETE", session, { cookie: kept })
      assert.deepStrictEqual([ended.status, ended.headers["set-cookie"]], [204, cleared("customer")])
      assert.strictEqual(jsonOf(yield* ofPage("customer", "POST", refresh, { cookie: kept })).code, "session_ended")
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
    it.effect(`is refused to ${name}, and unchanged`, () =>
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

  it.effect("a cookie of the other plane, a changed one and a missing one are a 401", () =>
    Effect.gen(function* () {
      const { cookie } = yield* signedIn("customer")
      const [, value = ""] = cookie.split("=")
      const changed = `${value.slice(0, -2)}${value.endsWith("AA") ? "BB" : "AA"}`
      const foreign = { cookie: `__Host-portico-operator=${value}` }
      const other = yield* ofPage("operator", "POST", refresh, foreign)
      assert.deepStrictEqual([other.status, jsonOf(other).code], [401, "session_ended"])
      assert.notProperty(other.headers, "set-cookie")
      assert.strictEqual((yield* ofPage("operator", "DELETE", session, foreign)).status, 204)
      const tampered = yield* ofPage("customer", "POST", refresh, { cookie: `__Host-portico-customer=${changed}` })
      assert.deepStrictEqual([tampered.status, jsonOf(tampered).code], [401, "session_ended"])
      // As gateways have set it that kept the tokens in it.
      const former = yield* ofPage("customer", "POST", refresh, {
        cookie: `__Host-portico-customer=${"A".repeat(120)}`
      })
      assert.deepStrictEqual([former.status, jsonOf(former).code], [401, "session_missing"])
      assert.notProperty(former.headers, "set-cookie")
      const without = yield* ofPage("customer", "POST", refresh)
      assert.deepStrictEqual([without.status, jsonOf(without).code], [401, "session_missing"])
      assert.notProperty(without.headers, "set-cookie")
      assert.strictEqual((yield* ofPage("customer", "POST", refresh, { cookie })).status, 200)
    })
  )

  it.effect("only JSON with all fields and the plane's own address can log in", () =>
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

  it.effect("a code that the provider refuses is login_refused", () =>
    Effect.gen(function* () {
      const body = yield* loginOf("customer")
      const other = yield* ofPage("customer", "POST", session, { body: { ...body, code_verifier: "w".repeat(43) } })
      assert.deepStrictEqual([other.status, jsonOf(other).code], [401, "login_refused"])
      assert.notProperty(other.headers, "set-cookie")
    })
  )

  it.effect("an unreachable provider ends no session", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { cookie } = yield* signedIn("customer")
      yield* nearTheEnd(cookie)
      yield* cloud.fault(away)
      const answer = yield* ofPage("customer", "POST", refresh, { cookie })
      assert.deepStrictEqual([answer.status, jsonOf(answer).code], [503, "identity_provider_unreachable"])
      assert.notProperty(answer.headers, "set-cookie")
      yield* cloud.clearFaults
      assert.strictEqual((yield* ofPage("customer", "POST", refresh, { cookie })).status, 200)
    })
  )

  it.effect("a token other than Bearer is a 503, and ends no session", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { cookie } = yield* signedIn("customer")
      yield* nearTheEnd(cookie)
      for (const token_type of [undefined, "mac"]) {
        yield* cloud.fault({ ...away, times: 1, as: { status: 200, body: { access_token: "a-token", token_type } } })
        const answer = yield* ofPage("customer", "POST", refresh, { cookie })
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [503, "identity_provider_unreachable"])
      }
      assert.strictEqual((yield* ofPage("customer", "POST", refresh, { cookie })).status, 200)
    })
  )

  it.effect("its secrets are not logged", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { cookie, token } = yield* signedIn("customer")
      const body = yield* loginOf("customer")
      yield* ofPage("customer", "POST", refresh, { cookie })
      yield* nearTheEnd(cookie)
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
