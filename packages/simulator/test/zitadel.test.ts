import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { nativeClientId } from "@portico/simulator/zitadel/state"
import { issueAccessToken } from "@portico/simulator/zitadel/tokens"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { createLocalJWKSet, jwtVerify } from "jose"
import { createHash } from "node:crypto"
import { ask } from "./ask.ts"

const { idp } = fixtures
const inactive = '{"active":false}'
const apiScopes = `openid urn:zitadel:iam:org:projects:roles urn:zitadel:iam:org:project:id:${idp.projectId}:aud`

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
})
const encoded = (id: string, secret: string) => basic(encodeURIComponent(id), encodeURIComponent(secret))
const api = encoded(idp.introspection.clientId, idp.introspection.clientSecret)

const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  ask("POST", `/idp${path}`, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
  })

const manage = (method: string, path: string, json?: unknown, token: string = idp.serviceToken) =>
  ask(method, `/idp/management/v1${path}`, { json, headers: { authorization: `Bearer ${token}` } })

const introspect = (token: string, headers: Record<string, string> = api) =>
  form("/oauth/v2/introspect", { token }, headers)

const rolesOf = Effect.fnUntraced(function* (token: string) {
  const { json } = yield* introspect(token)
  return Object.keys(json[`urn:zitadel:iam:org:project:${idp.projectId}:roles`] ?? {})
})

/** A machine user with the role `customer`, a secret and a personal access token. */
const machine = Effect.fnUntraced(function* (userName: string) {
  const { json: user } = yield* manage("POST", "/users/machine", { userName, name: userName })
  const id: string = user.userId
  const grant = yield* manage("POST", `/users/${id}/grants`, { projectId: idp.projectId, roleKeys: ["customer"] })
  const secret = yield* manage("PUT", `/users/${id}/secret`, {})
  const pat = yield* manage("POST", `/users/${id}/pats`, {})
  const login = (scope = apiScopes) =>
    form("/oauth/v2/token", { grant_type: "client_credentials", scope }, encoded(userName, secret.json.clientSecret))
  return { id, grantId: grant.json.userGrantId as string, pat: pat.json, login }
})

const person = (userName: string, active = true) =>
  Effect.map(
    manage("POST", "/users/human/_import", {
      userName,
      profile: { firstName: "Ann", lastName: "Lee" },
      email: { email: userName, isEmailVerified: active },
      ...(active ? { password: "Secret-1" } : {})
    }),
    (_) => _.json.userId as string
  )

it.effect.each([
  { as: "both parts encoded", headers: api, status: 200 },
  { as: "nothing encoded", headers: basic(idp.introspection.clientId, idp.introspection.clientSecret), status: 401 },
  {
    as: "only the secret encoded",
    headers: basic(idp.introspection.clientId, encodeURIComponent(idp.introspection.clientSecret)),
    status: 401
  },
  { as: "a wrong secret", headers: encoded(idp.introspection.clientId, "no"), status: 401 },
  { as: "an unknown client", headers: encoded("nobody", "no"), status: 401 },
  { as: "a public client", headers: encoded(nativeClientId, ""), status: 401 },
  { as: "no credentials", headers: {}, status: 401 },
  { as: "a bearer token", headers: { authorization: `Bearer ${idp.serviceToken}` }, status: 401 }
])("introspection with $as: $status", ({ headers, status }) =>
  Effect.gen(function* () {
    const answer = yield* introspect(idp.operatorToken, headers)
    assert.strictEqual(answer.status, status)
    if (status === 401) assert.strictEqual(answer.json.error, "invalid_client")
    else assert.strictEqual(answer.json.active, true)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("client credentials: a token of twelve hours without a name", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    const login = yield* acme.login()
    const { access_token, ...rest } = login.json
    assert.deepStrictEqual(rest, { token_type: "Bearer", expires_in: 43199, scope: apiScopes })
    const { json } = yield* introspect(access_token)
    const roles = { customer: { [idp.orgId]: "portico.example" } }
    assert.deepStrictEqual(json, {
      active: true,
      scope: apiScopes,
      client_id: "acme-1",
      token_type: "Bearer",
      exp: 43200,
      iat: 0,
      nbf: 0,
      sub: acme.id,
      aud: [idp.projectId],
      iss: "http://cloud.simulated/idp",
      jti: json.jti,
      "urn:zitadel:iam:org:project:roles": roles,
      [`urn:zitadel:iam:org:project:${idp.projectId}:roles`]: roles
    })
    yield* TestClock.adjust("12 hours")
    assert.strictEqual((yield* introspect(access_token)).body, inactive)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("scopes: inactive without the audience, no roles without their scope, one role by name", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    yield* manage("PUT", `/users/${acme.id}/grants/${acme.grantId}`, { roleKeys: ["customer", "admin"] })
    const audience = `urn:zitadel:iam:org:project:id:${idp.projectId}:aud`
    const token = (scope: string) => Effect.map(acme.login(scope), (_) => _.json.access_token as string)
    assert.strictEqual((yield* introspect(yield* token("openid urn:zitadel:iam:org:projects:roles"))).body, inactive)
    const bare = yield* introspect(yield* token(`openid ${audience}`))
    assert.deepStrictEqual([bare.json.active, "urn:zitadel:iam:org:project:roles" in bare.json], [true, false])
    const one = yield* token(`openid ${audience} urn:zitadel:iam:org:project:role:admin`)
    assert.deepStrictEqual(yield* rolesOf(one), ["admin"])
    const named = yield* introspect(yield* token(`${apiScopes} profile email`))
    assert.deepStrictEqual([named.json.username, named.json.name, named.json.email], ["acme-1", "acme-1", undefined])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the token endpoint's refusals", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    const token = (fields: Record<string, string>, headers = {}) => form("/oauth/v2/token", fields, headers)
    const grant_type = "client_credentials"
    const cases = [
      [yield* acme.login(""), 400, "invalid_request"],
      [yield* acme.login("profile"), 400, "invalid_scope"],
      [yield* token({ grant_type, scope: apiScopes }, encoded("acme-1", "no")), 401, "invalid_client"],
      [yield* token({ grant_type, scope: apiScopes }, encoded("nobody", "no")), 401, "invalid_client"],
      [yield* token({ grant_type, scope: apiScopes }), 401, "invalid_client"],
      [yield* token({ grant_type: "password" }), 400, "unsupported_grant_type"],
      [yield* token({}), 400, "invalid_request"],
      [
        yield* ask("POST", "/idp/oauth/v2/token", { json: { grant_type } }),
        400,
        "invalid_request" // JSON is no form
      ]
    ] as const
    for (const [answer, status, error] of cases) {
      assert.deepStrictEqual([answer.status, answer.json.error], [status, error])
    }
    yield* manage("POST", `/users/${acme.id}/_deactivate`, {})
    assert.strictEqual((yield* acme.login()).status, 400)
    yield* manage("POST", `/users/${acme.id}/_reactivate`, {})
    assert.strictEqual((yield* acme.login()).status, 200)
    yield* manage("DELETE", `/users/${acme.id}/secret`)
    assert.strictEqual((yield* acme.login()).status, 401)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a new secret replaces the old one", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    const { json } = yield* manage("PUT", `/users/${acme.id}/secret`, {})
    assert.strictEqual(json.clientId, "acme-1")
    assert.strictEqual((yield* acme.login()).status, 401)
    const fields = { grant_type: "client_credentials", scope: apiScopes }
    const inForm = { ...fields, client_id: "acme-1", client_secret: json.clientSecret }
    assert.strictEqual((yield* form("/oauth/v2/token", inForm)).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a personal access token works for any application, and without a date never expires", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    const { json } = yield* introspect(acme.pat.token)
    assert.deepStrictEqual(json.aud, [idp.introspection.clientId])
    assert.strictEqual(json.exp, 253402300799)
    assert.strictEqual("client_id" in json, false)
    assert.deepStrictEqual(yield* rolesOf(acme.pat.token), ["customer"])

    const expirationDate = "1970-01-01T00:10:00Z"
    const dated = yield* manage("POST", `/users/${acme.id}/pats`, { expirationDate })
    assert.strictEqual((yield* introspect(dated.json.token)).json.exp, 600)
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual((yield* introspect(dated.json.token)).body, inactive)
    const late = yield* manage("POST", `/users/${acme.id}/pats`, { expirationDate: "1970-01-01T00:09:59Z" })
    assert.deepStrictEqual([late.status, late.json.code], [400, 3])

    const list = yield* manage("POST", `/users/${acme.id}/pats/_search`, {})
    assert.deepStrictEqual(
      list.json.result.map((_: { expirationDate: string }) => _.expirationDate),
      ["9999-12-31T23:59:59Z", expirationDate]
    )
    assert.notInclude(list.body, acme.pat.token)
    yield* manage("DELETE", `/users/${acme.id}/pats/${acme.pat.tokenId}`)
    assert.strictEqual((yield* introspect(acme.pat.token)).body, inactive)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect.each(["_deactivate", "_lock"])(
  "%s ends every token of the user for good, though its list shows them",
  (verb) =>
    Effect.gen(function* () {
      const acme = yield* machine("acme-1")
      const { access_token } = (yield* acme.login()).json
      yield* manage("POST", `/users/${acme.id}/${verb}`, {})
      assert.strictEqual((yield* introspect(acme.pat.token)).body, inactive)
      assert.strictEqual((yield* introspect(access_token)).body, inactive)
      const meanwhile = yield* manage("POST", `/users/${acme.id}/pats`, {})
      assert.strictEqual((yield* introspect(meanwhile.json.token)).body, inactive)
      yield* manage("POST", `/users/${acme.id}/${verb === "_lock" ? "_unlock" : "_reactivate"}`, {})
      assert.strictEqual((yield* introspect(acme.pat.token)).body, inactive)
      assert.strictEqual((yield* introspect(access_token)).body, inactive)
      yield* TestClock.adjust("1 second")
      const list = yield* manage("POST", `/users/${acme.id}/pats/_search`, {})
      assert.strictEqual(list.json.details.totalResult, "2")
      const again = yield* manage("POST", `/users/${acme.id}/pats`, {})
      assert.strictEqual((yield* introspect(again.json.token)).json.active, true)
    }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

const reach = {
  ACTIVE: [],
  INACTIVE: ["_deactivate"],
  LOCKED: ["_lock"],
  INITIAL: []
} as const

it.effect.each([
  { from: "ACTIVE", verb: "_deactivate", status: 200, to: "INACTIVE" },
  { from: "ACTIVE", verb: "_reactivate", status: 400, code: 9, to: "ACTIVE" },
  { from: "ACTIVE", verb: "_lock", status: 200, to: "LOCKED" },
  { from: "ACTIVE", verb: "_unlock", status: 400, code: 9, to: "ACTIVE" },
  { from: "INACTIVE", verb: "_deactivate", status: 400, code: 9, to: "INACTIVE" },
  { from: "INACTIVE", verb: "_reactivate", status: 200, to: "ACTIVE" },
  { from: "INACTIVE", verb: "_lock", status: 400, code: 9, to: "INACTIVE" },
  { from: "INACTIVE", verb: "_unlock", status: 400, code: 9, to: "INACTIVE" },
  { from: "LOCKED", verb: "_deactivate", status: 200, to: "INACTIVE" },
  { from: "LOCKED", verb: "_reactivate", status: 400, code: 9, to: "LOCKED" },
  { from: "LOCKED", verb: "_lock", status: 400, code: 9, to: "LOCKED" },
  { from: "LOCKED", verb: "_unlock", status: 200, to: "ACTIVE" },
  { from: "INITIAL", verb: "_deactivate", status: 404, code: 5, to: "INITIAL" },
  { from: "INITIAL", verb: "_reactivate", status: 400, code: 9, to: "INITIAL" },
  { from: "INITIAL", verb: "_lock", status: 200, to: "LOCKED" },
  { from: "INITIAL", verb: "_unlock", status: 400, code: 9, to: "INITIAL" }
] as const)("$verb of a user that is $from: $status", ({ from, verb, to, ...expected }) =>
  Effect.gen(function* () {
    const id = yield* person("ann@acme.example", from !== "INITIAL")
    for (const first of reach[from]) yield* manage("POST", `/users/${id}/${first}`, {})
    const answer = yield* manage("POST", `/users/${id}/${verb}`, {})
    assert.strictEqual(answer.status, expected.status)
    assert.strictEqual(answer.json.code, "code" in expected ? expected.code : undefined)
    assert.strictEqual((yield* manage("GET", `/users/${id}`)).json.user.state, `USER_STATE_${to}`)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("statuses and codes of the management API", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    const ann = yield* person("ann@acme.example")
    const user = `/users/${acme.id}`
    const grants = { projectId: idp.projectId, roleKeys: ["customer"] }
    const { json: bare } = yield* manage("POST", "/users/machine", { userName: "bare", name: "b" })
    const cases = [
      ["GET", "/users/constructor", undefined, 404, 5],
      ["GET", "/users/0", undefined, 404, 5],
      ["DELETE", "/users/0", undefined, 404, 5],
      ["POST", "/users/0/_deactivate", {}, 404, 5],
      ["POST", "/users/machine", { userName: "ACME-1", name: "again" }, 409, 6],
      ["POST", "/users/machine", { userName: "other", name: "again", userId: acme.id }, 409, 6],
      ["POST", "/users/machine", { userName: "other" }, 400, 3],
      ["POST", "/users/machine", { name: "other" }, 400, 3],
      ["POST", "/users/human/_import", { userName: "bob", email: { email: "bob@acme.example" } }, 400, 3],
      ["PUT", "/users/0/secret", {}, 400, 9],
      ["PUT", `/users/${ann}/secret`, {}, 400, 9],
      ["DELETE", `/users/${bare.userId}/secret`, undefined, 400, 9],
      ["POST", "/users/0/pats", {}, 400, 9],
      ["POST", `/users/${ann}/pats`, {}, 400, 9],
      ["POST", `${user}/pats`, { expirationDate: "tomorrow" }, 400, 3],
      ["DELETE", `${user}/pats/0`, undefined, 404, 5],
      ["DELETE", `/users/${ann}/pats/${acme.pat.tokenId}`, undefined, 404, 5],
      ["POST", `${user}/grants`, grants, 409, 6],
      ["POST", "/users/0/grants", grants, 400, 9],
      ["POST", `/users/${ann}/grants`, { ...grants, roleKeys: ["root"] }, 400, 9],
      ["POST", `/users/${ann}/grants`, { ...grants, projectId: "0" }, 400, 9],
      ["POST", `/users/${ann}/grants`, { roleKeys: ["customer"] }, 400, 3],
      ["PUT", `${user}/grants/${acme.grantId}`, { roleKeys: ["customer"] }, 400, 9],
      ["PUT", `${user}/grants/${acme.grantId}`, { roleKeys: ["root"] }, 400, 9],
      ["PUT", `${user}/grants/0`, { roleKeys: ["customer"] }, 404, 5],
      ["DELETE", `/users/${ann}/grants/${acme.grantId}`, undefined, 404, 5],
      ["POST", `${user}/grants/${acme.grantId}/_reactivate`, {}, 400, 9],
      ["POST", `${user}/_resend_initialization`, {}, 400, 9],
      ["POST", "/users/_search", { queries: [{ shoeSizeQuery: {} }] }, 400, 3],
      ["POST", "/users/_search", { queries: [{ userNameQuery: { userName: "a", method: "NEARLY" } }] }, 400, 3],
      ["POST", "/users/grants/_search", { queries: [{}] }, 400, 3]
    ] as const
    for (const [method, path, body, status, code] of cases) {
      const answer = yield* manage(method, path, body)
      assert.deepStrictEqual([path, answer.status, answer.json.code], [path, status, code])
      assert.strictEqual(answer.json.details[0]["@type"], "type.googleapis.com/zitadel.v1.ErrorDetail")
    }
    const tokens = [
      ["", 401, 16],
      ["garbage", 401, 16],
      [(yield* acme.login()).json.access_token, 401, 16], // not issued for Zitadel itself
      [acme.pat.token, 403, 7],
      [idp.operatorToken, 403, 7]
    ] as const
    for (const [token, status, code] of tokens) {
      const answer = yield* manage("GET", user, undefined, token)
      assert.deepStrictEqual([answer.status, answer.json.code], [status, code])
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an own id makes a create repeatable; a delete frees name and id and removes dependents", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const before = yield* cloud.state
    const body = { userName: "acme-1", name: "acme", userId: "acme-own-id" }
    assert.strictEqual((yield* manage("POST", "/users/machine", body)).json.userId, "acme-own-id")
    assert.strictEqual((yield* manage("POST", "/users/machine", body)).status, 409)
    yield* manage("POST", "/users/acme-own-id/grants", { projectId: idp.projectId, roleKeys: ["customer"] })
    const pat = yield* manage("POST", "/users/acme-own-id/pats", {})
    yield* manage("DELETE", "/users/acme-own-id")
    assert.strictEqual((yield* introspect(pat.json.token)).body, inactive)
    assert.deepStrictEqual(yield* cloud.state, before)
    assert.strictEqual((yield* manage("POST", "/users/machine", body)).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("search lags by a second, reading by id does not", () =>
  Effect.gen(function* () {
    const id = yield* person("ann@acme.example")
    const search = manage("POST", "/users/_search", { queries: [{ inUserIdsQuery: { userIds: [id] } }] })
    assert.strictEqual((yield* manage("GET", `/users/${id}`)).status, 200)
    const early = yield* search
    assert.deepStrictEqual(early.json, { details: { viewTimestamp: "1970-01-01T00:00:00Z" } })
    yield* TestClock.adjust("999 millis")
    assert.strictEqual((yield* search).json.result, undefined)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* search).json.details.totalResult, "1")
    assert.deepStrictEqual((yield* search).json.result[0], {
      id,
      details: {
        sequence: "3",
        creationDate: "1970-01-01T00:00:00Z",
        changeDate: "1970-01-01T00:00:00Z",
        resourceOwner: idp.orgId
      },
      state: "USER_STATE_ACTIVE",
      userName: "ann@acme.example",
      loginNames: ["ann@acme.example"],
      preferredLoginName: "ann@acme.example",
      human: {
        profile: { firstName: "Ann", lastName: "Lee", displayName: "Ann Lee" },
        email: { email: "ann@acme.example", isEmailVerified: true }
      }
    })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a person's profile is as created, and the sent mails are counted", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const profile = { firstName: "Ann", lastName: "Lee", nickName: "made by a test", displayName: "Ann L." }
    const human = (userName: string, more: object = {}) => ({
      userName,
      profile: { ...profile, ...more },
      email: { email: "Ann@acme.example" }
    })
    const made = yield* manage("POST", "/users/human/_import", human("ann@acme.example"))
    const id: string = made.json.userId
    const shown = (yield* manage("GET", `/users/${id}`)).json.user.human
    assert.deepStrictEqual(shown, { profile, email: { email: "Ann@acme.example" } })
    const mails = () => {
      const user = world.zitadel.users[id]
      return user?.type === "TYPE_HUMAN" ? user.mails : undefined
    }
    assert.strictEqual(mails(), 1)
    yield* manage("POST", `/users/${id}/_resend_initialization`, {})
    assert.strictEqual(mails(), 2)
    const refused = [
      human("ANN@acme.example"),
      human("bob@acme.example", { nickName: "x".repeat(201) }),
      human("bob@acme.example", { firstName: "" }),
      human("bob@acme.example", { lastName: "x".repeat(201) })
    ]
    const statuses = yield* Effect.forEach(refused, (_) =>
      Effect.map(manage("POST", "/users/human/_import", _), ({ json, status }) => [status, json.code])
    )
    assert.deepStrictEqual(statuses, [
      [409, 6],
      [400, 3],
      [400, 3],
      [400, 3]
    ])
    yield* TestClock.adjust("1 second")
    const queries = [{ nickNameQuery: { nickName: "made by", method: "TEXT_QUERY_METHOD_STARTS_WITH" } }]
    const { json } = yield* manage("POST", "/users/_search", { queries })
    assert.deepStrictEqual(
      json.result.map((_: { id: string }) => _.id),
      [id]
    )
    yield* form("/ui/login/user/init", { userID: id, password: "Secret-1" })
    assert.strictEqual((yield* manage("POST", `/users/${id}/_resend_initialization`, {})).json.code, 9)
    assert.strictEqual(mails(), 2)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("search queries must all match, and pages have the total", () =>
  Effect.gen(function* () {
    yield* machine("acme-1")
    yield* machine("acme-2")
    yield* person("Ann@acme.example")
    yield* person("bob@globex.example", false)
    yield* TestClock.adjust("1 second")
    const names = Effect.fnUntraced(function* (queries: ReadonlyArray<unknown>, query: unknown = { asc: true }) {
      const sortingColumn = "USER_FIELD_NAME_USER_NAME"
      const { json } = yield* manage("POST", "/users/_search", { query, sortingColumn, queries })
      return [json.details.totalResult, (json.result ?? []).map((_: { userName: string }) => _.userName)]
    })
    const name = (userName: string, method: string) => ({
      userNameQuery: { userName, method: `TEXT_QUERY_METHOD_${method}` }
    })
    const email = (emailAddress: string, method: string) => ({
      emailQuery: { emailAddress, method: `TEXT_QUERY_METHOD_${method}` }
    })
    const cases = [
      [[name("acme-1", "EQUALS")], ["acme-1"]],
      [[name("ACME-1", "EQUALS")], []],
      [[name("ACME-1", "EQUALS_IGNORE_CASE")], ["acme-1"]],
      [[name("me-", "CONTAINS")], ["acme-1", "acme-2"]],
      [[name("acme", "STARTS_WITH"), name("2", "ENDS_WITH")], ["acme-2"]],
      [[email("ann@ACME.example", "EQUALS_IGNORE_CASE")], ["Ann@acme.example"]],
      [[email("ann@acme.example", "EQUALS")], []],
      [[{ typeQuery: { type: "TYPE_HUMAN" } }], ["Ann@acme.example", "bob@globex.example"]],
      [[{ stateQuery: { state: "USER_STATE_INITIAL" } }], ["bob@globex.example"]],
      [[{ orQuery: { queries: [name("acme-1", "EQUALS"), name("operator", "EQUALS")] } }], ["acme-1", "operator"]]
    ] as const
    for (const [queries, expected] of cases) {
      const total = expected.length === 0 ? undefined : String(expected.length)
      assert.deepStrictEqual(yield* names(queries), [total, expected])
    }
    assert.deepStrictEqual(yield* names([name("acme", "CONTAINS")], { asc: true, offset: "1", limit: 1 }), [
      "3",
      ["acme-2"]
    ])
    assert.deepStrictEqual(yield* names([name("acme-", "CONTAINS")], {}), ["2", ["acme-2", "acme-1"]])
    const free = (query: string) => manage("GET", `/users/_is_unique?${query}`)
    assert.deepStrictEqual((yield* free("userName=acme-1")).json, {})
    assert.deepStrictEqual((yield* free("userName=acme-9&email=x%40y.example")).json, { isUnique: true })
    const found = yield* manage("GET", "/global/users/_by_login_name?loginName=acme-1")
    assert.strictEqual(found.json.user.userName, "acme-1")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("grants count at once, and not while they are inactive", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    const { access_token } = (yield* acme.login()).json
    const path = `/users/${acme.id}/grants/${acme.grantId}`
    const steps = [
      ["PUT", path, { roleKeys: ["admin", "customer-owner"] }, ["admin", "customer-owner"]],
      ["POST", `${path}/_deactivate`, {}, []],
      ["POST", `${path}/_reactivate`, {}, ["admin", "customer-owner"]],
      ["PUT", path, {}, []],
      ["DELETE", path, undefined, []]
    ] as const
    for (const [method, to, body, roles] of steps) {
      assert.strictEqual((yield* manage(method, to, body)).status, 200)
      assert.deepStrictEqual(yield* rolesOf(access_token), [...roles])
      assert.deepStrictEqual(yield* rolesOf(acme.pat.token), [...roles])
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a search shows the previous roles for a second, tokens show the current ones", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    yield* TestClock.adjust("1 second")
    const path = `/users/${acme.id}/grants/${acme.grantId}`
    const queries = [{ userIdQuery: { userId: acme.id } }]
    const found = Effect.map(manage("POST", "/users/grants/_search", { queries }), ({ json }) => [
      json.result[0].roleKeys,
      json.result[0].state
    ])
    const put = (...roleKeys: ReadonlyArray<string>) => manage("PUT", path, { roleKeys })
    const active = "USER_GRANT_STATE_ACTIVE"
    assert.strictEqual((yield* put("customer-viewer")).status, 200)
    assert.deepStrictEqual(yield* rolesOf(acme.pat.token), ["customer-viewer"])
    assert.deepStrictEqual(yield* found, [["customer"], active])
    assert.deepStrictEqual((yield* put("customer-viewer")).json.code, 9)
    yield* TestClock.adjust("500 millis")
    yield* put("customer-admin")
    yield* TestClock.adjust("999 millis")
    assert.deepStrictEqual(yield* found, [["customer"], active])
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(yield* found, [["customer-admin"], active])
    // Another change brings none of it back.
    yield* manage("POST", `${path}/_deactivate`, {})
    assert.deepStrictEqual(yield* found, [["customer-admin"], "USER_GRANT_STATE_INACTIVE"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("grants are found by user, project, role and address", () =>
  Effect.gen(function* () {
    const acme = yield* machine("acme-1")
    const ann = yield* person("ann@acme.example")
    const grants = { projectId: idp.projectId, roleKeys: ["customer", "customer-owner"] }
    const { json: grant } = yield* manage("POST", `/users/${ann}/grants`, grants)
    yield* TestClock.adjust("1 second")
    const ids = Effect.fnUntraced(function* (...queries: ReadonlyArray<unknown>) {
      const { json } = yield* manage("POST", "/users/grants/_search", { queries })
      return (json.result ?? []).map((_: { id: string }) => _.id)
    })
    assert.deepStrictEqual(yield* ids({ userIdQuery: { userId: acme.id } }), [acme.grantId])
    assert.deepStrictEqual(yield* ids({ roleKeyQuery: { roleKey: "customer-owner" } }), [grant.userGrantId])
    assert.deepStrictEqual(yield* ids({ emailQuery: { email: "ann@acme.example" } }), [grant.userGrantId])
    assert.deepStrictEqual(yield* ids({ projectIdQuery: { projectId: "0" } }), [])
    assert.deepStrictEqual(
      yield* ids({ projectIdQuery: { projectId: idp.projectId } }, { userIdQuery: { userId: ann } }),
      [grant.userGrantId]
    )
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

const verifier = "v".repeat(43)
const challenge = createHash("sha256").update(verifier).digest("base64url")
const redirect_uri = "http://127.0.0.1:51234/callback"
const humanScope = `${apiScopes} profile email offline_access`

/** The answer's Location, taken apart. */
const authorize = Effect.fnUntraced(function* (login_hint: string, changes: Record<string, string> = {}) {
  const query = new URLSearchParams({
    client_id: nativeClientId,
    redirect_uri,
    response_type: "code",
    scope: humanScope,
    state: "s1",
    code_challenge: challenge,
    code_challenge_method: "S256",
    login_hint,
    ...changes
  })
  const answer = yield* ask("GET", `/idp/oauth/v2/authorize?${query}`)
  const location = URL.parse(answer.headers["location"] ?? "")
  return { status: answer.status, location, back: Object.fromEntries(location?.searchParams ?? []) }
})

const exchange = (fields: Record<string, string>) =>
  form("/oauth/v2/token", { client_id: nativeClientId, redirect_uri, code_verifier: verifier, ...fields })
const withCode = (code = "", changes: Record<string, string> = {}) =>
  exchange({ grant_type: "authorization_code", code, ...changes })
const refresh = (refresh_token: string, changes: Record<string, string> = {}) =>
  exchange({ grant_type: "refresh_token", refresh_token, ...changes })

it.effect("an invited person can log in after following the mail", () =>
  Effect.gen(function* () {
    const id = yield* person("ann@acme.example", false)
    assert.strictEqual((yield* authorize("ann@acme.example")).back["error"], "login_required")
    assert.strictEqual((yield* manage("POST", `/users/${id}/_resend_initialization`, {})).status, 200)
    assert.strictEqual((yield* form("/ui/login/user/init", { userID: id, password: "Secret-1" })).status, 200)
    const { back, location, status } = yield* authorize("ann@acme.example")
    assert.deepStrictEqual([status, location?.host, back["state"]], [302, "127.0.0.1:51234", "s1"])
    const { json } = yield* withCode(back["code"])
    const seen = yield* introspect(json.access_token)
    assert.deepStrictEqual(
      [seen.json.sub, seen.json.username, seen.json.name, seen.json.email, seen.json.email_verified],
      [id, "ann@acme.example", "Ann Lee", "ann@acme.example", true]
    )
    assert.deepStrictEqual(seen.json.aud, [nativeClientId, idp.projectId])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a code works once, in ten minutes, for its address and its verifier", () =>
  Effect.gen(function* () {
    yield* person("ann@acme.example")
    const code = Effect.map(authorize("ann@acme.example"), (_) => _.back["code"])
    const good = yield* code
    assert.strictEqual((yield* withCode(good)).status, 200)
    const cases = [
      [good, {}],
      [yield* code, { code_verifier: "w".repeat(43) }],
      [yield* code, { redirect_uri: "http://127.0.0.1:9/callback" }]
    ] as const
    for (const [value, changes] of cases) {
      const answer = yield* withCode(value, changes)
      assert.deepStrictEqual([answer.status, answer.json.error], [400, "invalid_grant"])
    }
    const late = yield* code
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual((yield* withCode(late)).json.error, "invalid_grant")

    const elsewhere = yield* authorize("ann@acme.example", { redirect_uri: "http://evil.example/callback" })
    assert.deepStrictEqual([elsewhere.status, elsewhere.location], [400, null])
    const errors = [
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ code_challenge: "" }, "invalid_request"],
      [{ scope: "profile" }, "invalid_scope"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ login_hint: "nobody" }, "login_required"]
    ] as const
    for (const [changes, error] of errors) {
      assert.strictEqual((yield* authorize("ann@acme.example", changes)).back["error"], error)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a login has an ID token, which the published keys verify", () =>
  Effect.gen(function* () {
    const id = yield* person("ann@acme.example")
    const { json: metadata } = yield* ask("GET", "/idp/.well-known/openid-configuration")
    assert.deepInclude(metadata, {
      issuer: "http://cloud.simulated/idp",
      jwks_uri: "http://cloud.simulated/idp/oauth/v2/keys",
      id_token_signing_alg_values_supported: ["RS256"]
    })
    const { json: keys } = yield* ask("GET", "/idp/oauth/v2/keys")
    const verified = (token: string) =>
      Effect.promise(async () => {
        const options = { issuer: metadata.issuer, audience: nativeClientId, currentDate: new Date(0) }
        return (await jwtVerify(token, createLocalJWKSet(keys), options)).payload
      })
    const { json: login } = yield* withCode((yield* authorize("ann@acme.example", { nonce: "n-1" })).back["code"])
    const hash = createHash("sha256").update(String(login.access_token)).digest().subarray(0, 16).toString("base64url")
    assert.deepInclude(yield* verified(login.id_token), { sub: id, nonce: "n-1", at_hash: hash, azp: nativeClientId })
    const { json: refreshed } = yield* refresh(login.refresh_token)
    assert.strictEqual((yield* verified(refreshed.id_token)).sub, id)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("metadata is OpenID Connect's alone, and no client registers itself, as on the stock system", () =>
  Effect.gen(function* () {
    const { json: metadata } = yield* ask("GET", "/idp/.well-known/openid-configuration")
    assert.notProperty(metadata, "registration_endpoint")
    assert.strictEqual((yield* ask("GET", "/idp/.well-known/oauth-authorization-server")).status, 404)
    const registration = yield* ask("POST", "/idp/oauth/v2/register", {
      json: { redirect_uris: ["http://127.0.0.1/"] }
    })
    assert.strictEqual(registration.status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("refresh tokens rotate, and the access token beside them ends", () =>
  Effect.gen(function* () {
    yield* person("ann@acme.example")
    const { json: first } = yield* withCode((yield* authorize("ann@acme.example")).back["code"])
    const { json: second } = yield* refresh(first.refresh_token)
    assert.notStrictEqual(second.refresh_token, first.refresh_token)
    assert.strictEqual((yield* refresh(first.refresh_token)).json.error, "invalid_grant")
    assert.strictEqual((yield* introspect(first.access_token)).body, inactive)
    assert.strictEqual((yield* introspect(second.access_token)).json.active, true)
    assert.strictEqual((yield* refresh(second.refresh_token, { scope: "openid phone" })).json.error, "invalid_scope")
    assert.strictEqual((yield* refresh(second.refresh_token, { scope: "openid" })).json.scope, "openid")
    const short = yield* authorize("ann@acme.example", { scope: apiScopes })
    assert.strictEqual("refresh_token" in (yield* withCode(short.back["code"])).json, false)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("introspection accepts access tokens alone: a refresh token and an ID token are inactive", () =>
  Effect.gen(function* () {
    yield* person("ann@acme.example")
    const { json } = yield* withCode((yield* authorize("ann@acme.example")).back["code"])
    assert.strictEqual((yield* introspect(json.access_token)).json.token_type, "Bearer")
    for (const token of [json.refresh_token, json.id_token]) {
      assert.isString(token)
      assert.strictEqual((yield* introspect(token)).body, inactive)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a refresh token outlives its access token by days, but not its user", () =>
  Effect.gen(function* () {
    const id = yield* person("ann@acme.example")
    const { json: first } = yield* withCode((yield* authorize("ann@acme.example")).back["code"])
    yield* TestClock.adjust("29 days")
    assert.strictEqual((yield* introspect(first.access_token)).body, inactive)
    const { json: second } = yield* refresh(first.refresh_token)
    yield* manage("POST", `/users/${id}/_deactivate`, {})
    assert.strictEqual((yield* introspect(second.access_token)).body, inactive)
    assert.strictEqual((yield* refresh(second.refresh_token)).json.error, "invalid_grant")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("revoking a refresh token ends its access token, not vice versa; an unknown one succeeds", () =>
  Effect.gen(function* () {
    yield* person("ann@acme.example")
    const acme = yield* machine("acme-1")
    const revoke = (token: string, client: Record<string, string> = { client_id: nativeClientId }) =>
      form("/oauth/v2/revoke", { token, ...client })
    const login = Effect.map(authorize("ann@acme.example"), (_) => _.back["code"])
    const { json: one } = yield* withCode(yield* login)
    assert.strictEqual((yield* revoke(one.access_token)).status, 200)
    assert.strictEqual((yield* introspect(one.access_token)).body, inactive)
    const { json: two } = yield* refresh(one.refresh_token)
    assert.strictEqual((yield* revoke(two.refresh_token)).status, 200)
    assert.strictEqual((yield* introspect(two.access_token)).body, inactive)
    assert.strictEqual((yield* refresh(two.refresh_token)).json.error, "invalid_grant")
    assert.strictEqual((yield* revoke("garbage")).status, 200)
    assert.strictEqual((yield* revoke("garbage", {})).status, 401)
    const { access_token } = (yield* acme.login()).json
    assert.strictEqual((yield* revoke(access_token)).status, 401)
    assert.strictEqual((yield* introspect(access_token)).json.active, true)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

const device = form("/oauth/v2/device_authorization", { client_id: nativeClientId, scope: humanScope })
const decide = (user_code: string, action: string) =>
  form("/device", { user_code, action, login_hint: "ann@acme.example" })
const poll = (device_code: string) =>
  exchange({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code })

it.effect("device flow: wait, slow down, allowed, once", () =>
  Effect.gen(function* () {
    yield* person("ann@acme.example")
    const { json } = yield* device
    assert.match(json.user_code, /^[A-Z]{4}-[A-Z]{4}$/)
    assert.deepStrictEqual([json.expires_in, json.interval], [300, 5])
    assert.strictEqual((yield* ask("GET", `/idp/device?user_code=${json.user_code}`)).status, 200)
    assert.strictEqual((yield* poll(json.device_code)).json.error, "authorization_pending")
    yield* TestClock.adjust("4 seconds")
    assert.strictEqual((yield* poll(json.device_code)).json.error, "slow_down")
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* poll(json.device_code)).json.error, "slow_down") // it is ten by now, then fifteen
    assert.strictEqual((yield* decide(json.user_code.toLowerCase(), "allow")).status, 200)
    assert.strictEqual((yield* decide(json.user_code, "allow")).status, 404)
    yield* TestClock.adjust("15 seconds")
    const done = yield* poll(json.device_code)
    assert.strictEqual((yield* introspect(done.json.access_token)).json.username, "ann@acme.example")
    assert.isString(done.json.refresh_token)
    assert.strictEqual((yield* poll(json.device_code)).json.error, "invalid_grant")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("device flow: denied, expired, unknown", () =>
  Effect.gen(function* () {
    yield* person("ann@acme.example")
    const { json: denied } = yield* device
    yield* decide(denied.user_code, "deny")
    assert.strictEqual((yield* poll(denied.device_code)).json.error, "access_denied")
    const { json: late } = yield* device
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual((yield* decide(late.user_code, "allow")).status, 404)
    assert.strictEqual((yield* poll(late.device_code)).json.error, "expired_token")
    assert.strictEqual((yield* poll("garbage")).json.error, "invalid_grant")
    const stranger = yield* form("/oauth/v2/device_authorization", { client_id: "nobody", scope: humanScope })
    assert.strictEqual(stranger.status, 401)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a new cloud has two service users, one of them a platform administrator", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* rolesOf(idp.operatorToken), ["admin"])
    assert.deepStrictEqual(yield* rolesOf(idp.serviceToken), [])
    const { json } = yield* manage("POST", "/users/_search", {})
    assert.strictEqual(json.details.totalResult, "2")
    const issuer = "http://cloud.simulated/idp"
    const discovery = yield* ask("GET", "/idp/.well-known/openid-configuration")
    assert.strictEqual(discovery.json.issuer, issuer)
    assert.strictEqual(discovery.json.introspection_endpoint, `${issuer}/oauth/v2/introspect`)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an access token is issued without a login to a user who could log in", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const now = yield* Clock.currentTimeMillis
    const ann = yield* person("ann@acme.example")
    const bob = yield* person("bob@acme.example", false)
    yield* manage("POST", `/users/${ann}/grants`, { projectId: idp.projectId, roleKeys: ["customer-owner"] })
    const token = issueAccessToken(world, ann, now) ?? ""
    const { json } = yield* introspect(token)
    assert.deepStrictEqual([json.username, json.email], ["ann@acme.example", "ann@acme.example"])
    assert.deepStrictEqual(yield* rolesOf(token), ["customer-owner"])
    assert.isUndefined(issueAccessToken(world, bob, now))
    assert.isUndefined(issueAccessToken(world, "0", now))
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
