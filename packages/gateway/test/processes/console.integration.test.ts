import { fixtures } from "@portico/simulator/Fixtures"
import { consoleClientId } from "@portico/simulator/zitadel/state"
import { assert } from "@effect/vitest"
import { pass } from "@portico/testing/store/Aging"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { send } from "../harness/http.ts"
import { jsonOf } from "../harness/TestGateway.ts"
import { eventually, heard } from "./children.ts"
import { calls, clearFaults, Cloud, fault, type Gateway, story, twoGateways } from "./harness.ts"

const verifier = "v".repeat(43)
const login = "otto@people.example"
const token = { service: "zitadel", method: "POST", path: "/oauth/v2/token" } as const
const revoke = { service: "zitadel", method: "POST", path: "/oauth/v2/revoke" } as const

/** A request of a page of the operators' console. */
const ofPage = (gateway: Gateway, method: string, path: string, cookie = "", body?: unknown) =>
  send(gateway.operatorUrl, method, path, { body, headers: { origin: gateway.operatorUrl, cookie } })

const refresh = (gateway: Gateway, cookie: string) => ofPage(gateway, "POST", "/console/session/refresh", cookie)

/** An operator signs in: the cookie and the first access token. */
const signedIn = Effect.fnUntraced(function* (gateway: Gateway) {
  const { url } = yield* Cloud
  const manage = (path: string, body: object) =>
    send(url, "POST", `/idp/management/v1${path}`, { token: fixtures.idp.serviceToken, body })
  const made = yield* manage("/users/human/_import", {
    userName: login,
    profile: { firstName: "Otto", lastName: "Operator" },
    email: { email: login, isEmailVerified: true },
    password: "a-password"
  })
  const roles = { projectId: fixtures.idp.projectId, roleKeys: ["admin"] }
  yield* manage(`/users/${String(jsonOf(made).userId)}/grants`, roles)
  const redirect_uri = `${gateway.operatorUrl}/console/signed-in`
  const query = new URLSearchParams({
    client_id: consoleClientId,
    redirect_uri,
    response_type: "code",
    scope: jsonOf(yield* ofPage(gateway, "GET", "/console/config.json")).scope,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    login_hint: login
  })
  const { headers } = yield* send(url, "GET", `/idp/oauth/v2/authorize?${query.toString()}`)
  const code = new URL(headers["location"] ?? "").searchParams.get("code")
  const body = { code, code_verifier: verifier, redirect_uri }
  const answer = yield* ofPage(gateway, "POST", "/console/session", "", body)
  assert.strictEqual(answer.status, 200, answer.text)
  const [cookie = ""] = (answer.headers["set-cookie"] ?? "").split(";")
  return { cookie, token: String(jsonOf(answer).access_token) }
})

const whoami = (gateway: Gateway, token: string) =>
  Effect.map(send(gateway.operatorUrl, "GET", "/v1/whoami", { token }), (_) => _.status)

/** The session's access token has half a minute left of its 12 hours. */
const nearTheEnd = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    UPDATE console_sessions
    SET access_ends = now() + interval '30 seconds', renewed_at = now() - interval '12 hours'`
)

/** Ten windows at each of the gateways ask at once: the tokens that they are given. */
const windows = Effect.fnUntraced(function* (gateways: ReadonlyArray<Gateway>, cookie: string) {
  const answers = yield* Effect.all(
    gateways.flatMap((gateway) => Array.from({ length: 10 }, () => refresh(gateway, cookie))),
    { concurrency: "unbounded" }
  )
  for (const answer of answers) {
    assert.strictEqual(answer.status, 200, answer.text)
    assert.notProperty(answer.headers, "set-cookie")
  }
  return [...new Set(answers.map((_) => String(jsonOf(_).access_token)))]
})

story("ten windows at each of two gateways share one renewal, and all of their calls are answered", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways()
    const [first, second] = gateways
    const session = yield* signedIn(first)
    const before = (yield* calls(token)).length
    assert.deepStrictEqual(yield* windows(gateways, session.cookie), [session.token])
    for (const gateway of gateways) assert.strictEqual(yield* whoami(gateway, session.token), 200)
    assert.strictEqual((yield* calls(token)).length, before)

    yield* nearTheEnd
    // Long enough for the others to find it under way.
    yield* fault({ ...token, when: "before", as: { delay_ms: 500 } })
    const [renewed = "", ...others] = yield* windows(gateways, session.cookie)
    assert.deepStrictEqual(others, [])
    assert.notStrictEqual(renewed, session.token)
    assert.strictEqual((yield* calls(token)).length, before + 1)
    for (const gateway of gateways) assert.strictEqual(yield* whoami(gateway, renewed), 200)

    // The process that renews dies in the middle of it, before the provider has done anything.
    yield* nearTheEnd
    yield* fault({ ...token, when: "before", as: "hang" })
    yield* Effect.forkChild(refresh(first, session.cookie))
    yield* eventually(Effect.map(calls(token), (_) => assert.lengthOf(_, before + 2)))
    yield* first.kill
    yield* clearFaults
    yield* pass("1 minute")
    const next = yield* eventually(
      Effect.map(refresh(second, session.cookie), (answer) => {
        assert.strictEqual(answer.status, 200, answer.text)
        return String(jsonOf(answer).access_token)
      }),
      heard
    )
    assert.strictEqual(yield* whoami(second, next), 200)
  })
)

story("a sign-out at one gateway applies at the other, without the provider, and is repeated there", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const session = yield* signedIn(first)
    assert.deepStrictEqual(yield* windows([second], session.cookie), [session.token])
    for (const gateway of [first, second]) assert.strictEqual(yield* whoami(gateway, session.token), 200)
    yield* fault({ ...revoke, when: "before", as: { status: 503 }, times: 2 })
    assert.strictEqual((yield* ofPage(first, "DELETE", "/console/session", session.cookie)).status, 204)
    assert.strictEqual(yield* whoami(first, session.token), 401)
    assert.strictEqual((yield* refresh(second, session.cookie)).status, 401)
    yield* eventually(
      Effect.map(whoami(second, session.token), (_) => assert.strictEqual(_, 401)),
      heard
    )
    // Whoever was asked to end it need not live to see it done.
    yield* first.kill
    for (const _ of [1, 2]) {
      yield* pass("1 minute")
      yield* eventually(
        Effect.map(calls(revoke), (found) => assert.isAbove(found.length, _)),
        heard
      )
    }
    yield* eventually(
      Effect.map(calls(revoke), (_) => assert.strictEqual(_.at(-1)?.status, 200)),
      heard
    )
    assert.lengthOf(yield* calls(revoke), 3)
    assert.strictEqual(yield* whoami(second, session.token), 401)
    assert.strictEqual((yield* refresh(second, session.cookie)).status, 401)
  })
)
