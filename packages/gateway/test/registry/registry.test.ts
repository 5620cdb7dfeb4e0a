import { assert, layer } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { Publisher } from "@portico/domain/events/Publisher"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { EventLog } from "@portico/store/EventLog"
import { inTime } from "@portico/testing/clock"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createLocalJWKSet, jwtVerify } from "jose"
import { Cast } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { key } from "../harness/Stock.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { mapped, workloadToken } from "../workloadIdentity/workloads.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

const get = (query: string, authorization?: string, plane: Plane = "customer") =>
  Effect.flatMap(TestGateway, ({ call }) =>
    call(plane, "GET", `/v1/registry/token${query}`, authorization === undefined ? {} : { headers: { authorization } })
  )

const post = (fields: Readonly<Record<string, string>> | string, asked: Asked = {}) =>
  Effect.flatMap(TestGateway, ({ call }) =>
    call("customer", "POST", "/v1/registry/token", {
      body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...asked.headers }
    })
  )

/** What a registry makes of a token: it knows the key set from its file, and its own name and that of the issuer. */
const verified = Effect.fnUntraced(function* (token: string) {
  const { call } = yield* TestGateway
  const keySet = jsonOf(yield* call("customer", "GET", "/v1/registry/jwks"))
  const currentDate = new Date(yield* Clock.currentTimeMillis)
  const options = { issuer: "portico", audience: "registry", algorithms: ["RS256"], typ: "JWT", currentDate }
  return yield* Effect.promise(() => jwtVerify<{ access: unknown }>(token, createLocalJWKSet(keySet), options))
})

const accessOf = Effect.fnUntraced(function* (answer: { readonly text: string; readonly status: number }) {
  assert.strictEqual(answer.status, 200, answer.text)
  return (yield* verified(String(JSON.parse(answer.text).token))).payload.access
})

/** The audit's events of a request. */
const auditOf = Effect.fnUntraced(function* (requestId: string | undefined) {
  yield* (yield* Publisher).settled
  const rows = yield* (yield* EventLog).page("api.audit", 0, 1_000_000)
  return rows.map((_) => JSON.parse(JSON.stringify(_.envelope))).filter((_) => _.data.request_id === requestId)
})

const refused = {
  detail:
    "The login is not accepted: send a credential's client_id and client_secret, or any user name and a personal " +
    "access token",
  code: "registry_login_refused"
}

layer(Everything)("the token service of the registry", (it) => {
  it.effect("a token for more repositories than a record names lets its bearer pull the others", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const names = Array.from({ length: 12 }, (_, n) => `${acme.projectId}/app-${n}`)
      const scope = names.map((_) => `scope=repository:${_}:pull,push,delete`).join("&")
      const answer = yield* get(`?service=registry&${scope}`, basic("ci", acme.tokens[2]))
      const all = ["pull", "push", "delete"]
      assert.deepStrictEqual(
        yield* accessOf(answer),
        names.map((name, n) => ({ type: "repository", name, actions: n < 10 ? all : ["pull"] }))
      )
      const [event] = yield* auditOf(answer.headers["x-request-id"])
      assert.deepStrictEqual(event.data.resources, names.slice(0, 10))
    })
  )

  it.effect("docker login: no scope, and a token without access", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const query = "?account=ci&client_id=docker&offline_token=true&service=registry"
      const answer = yield* get(query, basic("ci", acme.tokens[1]))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.headers["content-type"], "application/json")
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      const { access_token, expires_in, issued_at, token, ...more } = jsonOf(answer)
      // There is no refresh_token, so that docker keeps the pair itself.
      assert.deepStrictEqual(more, {})
      assert.strictEqual(access_token, token)
      assert.strictEqual(expires_in, 300)
      assert.match(issued_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const { payload, protectedHeader } = yield* verified(token)
      const { exp = 0, iat = 0, jti, nbf, ...claims } = payload
      assert.deepStrictEqual(claims, { iss: "portico", sub: acme.credentialIds[1], aud: "registry", access: [] })
      assert.deepStrictEqual([exp - iat, nbf], [300, iat])
      assert.strictEqual(iat * 1000, Date.parse(issued_at))
      assert.match(jti ?? "", /^[0-9a-f-]{36}$/)
      const [published] = jsonOf(yield* (yield* TestGateway).call("operator", "GET", "/v1/registry/jwks")).keys
      assert.deepStrictEqual(protectedHeader, { typ: "JWT", alg: "RS256", kid: published.kid })
    })
  )

  it.effect("a token that may push or delete leaves an audit record with its repositories, one that pulls none", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const [own, foreign] = [`${acme.projectId}/app`, `${globex.projectId}/app`]
      const rows = [
        ["GET", "pull", []],
        ["GET", "pull,push", [own]],
        ["GET", "*", [own]],
        ["POST", "pull", []],
        ["POST", "pull,push,delete", [own]]
      ] as const
      for (const [method, actions, resources] of rows) {
        const scope = `repository:${own}:${actions} repository:${foreign}:push`
        const login = ["ci", acme.tokens[2]] as const
        const answer =
          method === "GET"
            ? yield* get(`?service=registry&scope=${encodeURIComponent(scope)}`, basic(...login))
            : yield* post({
                grant_type: "password",
                service: "registry",
                scope,
                username: login[0],
                password: login[1]
              })
        assert.strictEqual(answer.status, 200, answer.text)
        const recorded = yield* auditOf(answer.headers["x-request-id"])
        const isRecorded = method === "POST" || resources.length > 0
        assert.lengthOf(recorded, isRecorded ? 1 : 0, `${method} ${actions}`)
        for (const { data, key, project_id } of recorded) {
          assert.deepStrictEqual([key, project_id], [acme.credentialIds[2], acme.projectId])
          assert.deepStrictEqual(data.resources, resources)
        }
      }
    })
  )

  it.effect("docker push and pull: scopes in any form, repeated and several in one", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const own = `${acme.projectId}/app`
      const base = `${globex.projectId}/base`
      const ask = (query: string, tier: 0 | 1 | 2 = 1) =>
        Effect.flatMap(get(`?service=registry&${query}`, basic("ci", acme.tokens[tier])), accessOf)
      const access = (name: string, ...actions: ReadonlyArray<string>) => ({ type: "repository", name, actions })
      assert.deepStrictEqual(yield* ask(`scope=repository%3A${encodeURIComponent(own)}%3Apull%2Cpush`), [
        access(own, "pull", "push")
      ])
      // What docker sends for a cross-repository mount, in both of its spellings.
      for (const query of [
        `scope=repository:${own}:pull,push&scope=repository:${base}:pull`,
        `scope=repository:${own}:pull,push+repository:${base}:pull`,
        `scope=repository:${own}:pull,push%20repository:${base}:pull`
      ]) {
        assert.deepStrictEqual(yield* ask(query), [access(own, "pull", "push")], query)
      }
      assert.deepStrictEqual(yield* ask(`scope=repository(plugin):${own}:pull`), [access(own, "pull")])
      assert.deepStrictEqual(yield* ask(`scope=repository:${own}:*`, 2), [access(own, "pull", "push", "delete")])
      assert.deepStrictEqual(yield* ask(`scope=repository:${own}:delete`, 1), [])
      assert.deepStrictEqual(yield* ask(`scope=repository:${base}:pull`, 2), [])
      assert.deepStrictEqual(yield* ask("scope=registry:catalog:*", 2), [])
      assert.deepStrictEqual(yield* ask("scope="), [])
    })
  )

  it.effect("a client_id and client_secret, with any characters", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { clientId, credentialId, secret } = yield* key(2, "docker")
      const answer = yield* get(
        `?service=registry&scope=repository:${acme.projectId}/a:pull,push,delete`,
        basic(clientId, secret)
      )
      const { payload } = yield* verified(jsonOf(answer).token)
      assert.strictEqual(payload.sub, credentialId)
      assert.deepStrictEqual(payload["access"], [
        { type: "repository", name: `${acme.projectId}/a`, actions: ["pull", "push", "delete"] }
      ])
    })
  )

  it.effect("a workload's Bearer is a login too", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { issuer_id } = yield* mapped(acme.projectId)
      const token = yield* workloadToken(acme.tokens[1])
      const answer = yield* get(`?service=registry&scope=repository:${acme.projectId}/a:*`, basic("k8s", token))
      const { payload } = yield* verified(jsonOf(answer).token)
      assert.strictEqual(payload.sub, issuer_id)
      assert.deepStrictEqual(payload["access"], [
        { type: "repository", name: `${acme.projectId}/a`, actions: ["pull", "push"] }
      ])
    })
  )

  it.effect("a platform administrator reads the catalogue, on the operator plane alone", () =>
    Effect.gen(function* () {
      for (const plane of planes) {
        const answer = yield* get(
          "?service=registry&scope=registry:catalog:*",
          basic("ops", fixtures.idp.operatorToken),
          plane
        )
        const access = plane === "operator" ? [{ type: "registry", name: "catalog", actions: ["*"] }] : []
        assert.deepStrictEqual(yield* accessOf(answer), access)
      }
    })
  )

  it.effect("the OAuth variant of containerd: the same token, with its scope", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const scope = `repository:${acme.projectId}/app:pull,push repository:${acme.projectId}/lib:delete`
      const fields = {
        grant_type: "password",
        service: "registry",
        client_id: "containerd-client",
        scope,
        username: "ci",
        password: acme.tokens[1],
        access_type: "offline"
      }
      const answer = yield* post(fields)
      assert.strictEqual(answer.status, 200, answer.text)
      const { access_token, expires_in, issued_at, scope: granted, token, ...more } = jsonOf(answer)
      assert.deepStrictEqual(more, {})
      assert.deepStrictEqual([access_token, expires_in], [token, 300])
      assert.isString(issued_at)
      assert.strictEqual(granted, `repository:${acme.projectId}/app:pull,push`)
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.strictEqual((yield* post({ ...fields, password: "wrong" })).status, 401)
    })
  )

  it.effect("another grant is a 404, so that clients use the other protocol", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const bodies = [
        { grant_type: "refresh_token", service: "registry", client_id: "docker", refresh_token: acme.tokens[1] },
        { grant_type: "client_credentials" },
        { grant_type: "" },
        { username: "ci", password: acme.tokens[1] }
      ]
      for (const body of bodies) {
        const answer = yield* post(body)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, { detail: "Not Found", code: "not_found" }])
      }
    })
  )

  it.effect("a form must be a form, within the size limit", () =>
    Effect.gen(function* () {
      const json = yield* post("{}", { headers: { "content-type": "application/json" } })
      assert.deepStrictEqual([json.status, jsonOf(json).code], [415, "form_expected"])
      const none = yield* post("", { headers: { "content-type": "" } })
      assert.strictEqual(none.status, 415)
      const large = yield* post(`grant_type=password&password=${"x".repeat(70_000)}`)
      assert.deepStrictEqual([large.status, jsonOf(large).code], [413, "body_too_large"])
      const typed = { headers: { "content-type": "Application/X-WWW-Form-Urlencoded; charset=UTF-8" } }
      assert.strictEqual((yield* post("grant_type=refresh_token", typed)).status, 404)
    })
  )

  const logins: Readonly<Record<string, (cast: Cast["Service"]) => string | undefined>> = {
    "none at all": () => undefined,
    "an empty header": () => "",
    "the scheme alone": () => "Basic",
    "a Bearer": ({ acme }) => `Bearer ${acme.tokens[2]}`,
    "what is not encoded": ({ acme }) => `Basic ci:${acme.tokens[2]}`,
    "no colon": ({ acme }) => `Basic ${Buffer.from(acme.tokens[2]).toString("base64")}`,
    "a wrong token": () => basic("ci", "wrong"),
    "no password": () => basic("ci", ""),
    "nothing on both sides": () => basic("", ""),
    "a token for a name": ({ acme }) => basic(acme.tokens[2], "x"),
    "a revoked credential": ({ revoked }) => basic("ci", revoked),
    "an expired credential": ({ expired }) => basic("ci", expired),
    "a suspended credential": ({ suspended }) => basic("ci", suspended),
    "a person without roles": ({ roleless }) => basic("ci", roleless),
    "a person without a tenant": ({ unbound }) => basic("ci", unbound)
  }
  for (const [what, authorization] of Object.entries(logins)) {
    it.effect(`an invalid login (${what}): the same 401, with docker's challenge`, () =>
      Effect.gen(function* () {
        const answer = yield* get("?service=registry", authorization(yield* Cast))
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(jsonOf(answer), refused)
        assert.strictEqual(answer.headers["www-authenticate"], 'Basic realm="portico", charset="UTF-8"')
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        assert.notProperty(answer.headers, "retry-after")
      })
    )
  }

  it.effect("another registry's name is refused before the login is checked", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      for (const query of ["?service=other", "?service=registry&service=other", "?service="]) {
        const answer = yield* get(query, basic("ci", acme.tokens[1]))
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [400, "registry_service_unknown"], query)
      }
      assert.deepStrictEqual(yield* cloud.calls, [])
      assert.strictEqual((yield* get("", basic("ci", acme.tokens[1]))).status, 200)
    })
  )

  it.effect("answers 503 while the identity provider cannot be reached", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "zitadel",
        method: "POST",
        path: "**",
        times: "always",
        when: "before",
        as: "reset"
      })
      const answer = yield* get("?service=registry", basic("ci", "some-token"))
      yield* cloud.clearFaults
      assert.deepStrictEqual([answer.status, jsonOf(answer).code], [503, "identity_provider_unreachable"])
    })
  )

  it.effect("answers other methods with 405", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const head = yield* call("customer", "HEAD", "/v1/registry/token?service=registry", {
        headers: { authorization: basic("ci", acme.tokens[0]) }
      })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      const put = yield* call("customer", "PUT", "/v1/registry/token", { token: acme.tokens[2] })
      assert.deepStrictEqual([put.status, put.headers["allow"]], [405, "GET, HEAD, OPTIONS, POST"])
    })
  )
})

layer(Everything)("a guesser at the token service", (it) => {
  it.effect("gets 429 with Retry-After, without blocking a good login", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      for (let i = 0; i < 40; i++) assert.strictEqual((yield* inTime(get("", basic("ci", `guess-${i}`)))).status, 401)
      assert.strictEqual((yield* get("", basic("ci", acme.tokens[1]))).status, 200)
      const guesses = Array.from({ length: 1000 }, (_, i) => get("", basic(`name-${i}`, `guess-${i}`)))
      // The listening socket queues 511 connections. The kernel drops others, and their clients connect again by its clock.
      const all = yield* Effect.forkChild(Effect.all(guesses, { concurrency: 400 }))
      // Known to the gateway: it does not wait behind the guesses.
      assert.strictEqual((yield* get("", basic("ci", acme.tokens[1]))).status, 200)
      const answers = yield* inTime(Fiber.join(all))
      assert.deepStrictEqual([...new Set(answers.map((_) => _.status))].toSorted(), [401, 429])
      const last = answers.find((_) => _.status === 429)
      assert.deepStrictEqual(last === undefined ? undefined : jsonOf(last), {
        detail: "Too many failed logins; try again later",
        code: "rate_limited"
      })
      assert.strictEqual(last?.headers["retry-after"], "1")
      assert.notProperty(last?.headers, "www-authenticate")
      // A good one that was never seen is in at the second try at the latest, when the client waits as it was told to.
      const first = yield* inTime(get("", basic("ci", acme.tokens[0])))
      assert.include([200, 429], first.status)
      if (first.status !== 200) {
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* inTime(get("", basic("ci", acme.tokens[0])))).status, 200)
      }
      assert.strictEqual((yield* call("customer", "GET", "/v1/whoami", { token: acme.tokens[1] })).status, 200)
    })
  )
})
