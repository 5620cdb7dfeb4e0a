import { assert, describe, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, controlToken, login, tenantToken } from "./ask.ts"

const base = "http://cloud.simulated"
const v1 = "/key-manager/v1"

const grant = Effect.fnUntraced(function* (projectId: string, userId: string, roleId: string) {
  const url = `/identity/v3/projects/${projectId}/users/${userId}/roles/${roleId}`
  assert.strictEqual((yield* ask("PUT", url, { token: yield* controlToken })).status, 204)
})

/** A tenant whose user holds the role that the service wants. */
const creator = Effect.fnUntraced(function* (name: string) {
  const tenant = yield* tenantToken(name)
  yield* grant(tenant.projectId, tenant.userId, fixtures.roles.creator)
  return { ...tenant, token: yield* login(`gw-${name}`, "pw", tenant.projectId) }
})

/** Another user of a project, with this role and no other. */
const colleague = Effect.fnUntraced(function* (projectId: string, name: string, roleId: string) {
  const json = { user: { name, password: "pw" } }
  const user = yield* ask("POST", "/identity/v3/users", { token: yield* controlToken, json })
  const userId: string = user.json.user.id
  yield* grant(projectId, userId, roleId)
  return { userId, token: yield* login(name, "pw", projectId) }
})

const text = { name: "password", payload: "open sesame", payload_content_type: "text/plain" }

const store = (token: string, json: unknown = text) => ask("POST", `${v1}/secrets`, { token, json })

/** A stored secret, as the path by which it is asked for. */
const stored = Effect.fnUntraced(function* (token: string, json: unknown = text) {
  const answer = yield* store(token, json)
  assert.strictEqual(answer.status, 201, answer.body)
  const ref: string = answer.json.secret_ref
  assert.strictEqual(answer.headers["location"], ref)
  return { ref, path: ref.slice(base.length) }
})

const accept = (type: string | undefined) => ({ headers: { accept: type } as Record<string, string> })

const cloud = Effect.provide(SimulatedCloud.layerMemory)

it.effect("the role member alone gives no access, and creator does", () =>
  Effect.gen(function* () {
    const plain = yield* tenantToken("initech")
    const acme = yield* creator("acme")
    const { path } = yield* stored(acme.token)
    const table: ReadonlyArray<readonly [string, string, unknown]> = [
      ["GET", `${v1}/secrets`, undefined],
      ["POST", `${v1}/secrets`, text],
      ["GET", path, undefined],
      ["GET", `${v1}/containers`, undefined],
      ["POST", `${v1}/orders`, {}],
      ["GET", `${v1}/quotas`, undefined]
    ]
    for (const [method, url, json] of table) {
      const answer = yield* ask(method, url, { token: plain.token, json })
      assert.deepStrictEqual([answer.status, answer.json.code, answer.json.title], [403, 403, "Forbidden"], url)
      assert.match(answer.json.description, / attempt not allowed - please review your user\/project privileges$/)
    }
    assert.strictEqual((yield* ask("GET", `${v1}/secrets`)).status, 401)
  }).pipe(cloud)
)

it.effect("a secret is answered as metadata or as its payload, by the Accept header", () =>
  Effect.gen(function* () {
    const { token, userId } = yield* creator("acme")
    const { path, ref } = yield* stored(token)
    for (const type of [undefined, "*/*", "application/json"]) {
      const answer = yield* ask("GET", path, { token, ...accept(type) })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.json, {
        secret_ref: ref,
        name: "password",
        secret_type: "opaque",
        status: "ACTIVE",
        algorithm: null,
        bit_length: null,
        mode: null,
        expiration: null,
        creator_id: userId,
        created: "1970-01-01T00:00:00",
        updated: "1970-01-01T00:00:00",
        content_types: { default: "text/plain" }
      })
    }
    const table: ReadonlyArray<readonly [string, string | undefined, number]> = [
      ["", "text/plain", 200],
      ["", "application/octet-stream", 200],
      ["", "", 200],
      ["", "application/json, text/plain", 406],
      ["", "application/json;q=1", 406],
      ["/payload", "text/plain", 200],
      ["/payload", "text/plain; charset=utf-8", 200],
      ["/payload", "application/octet-stream", 200],
      ["/payload", undefined, 200],
      ["/payload", "*/*", 406],
      ["/payload", "application/json", 406],
      ["/payload", "image/png", 406]
    ]
    for (const [sub, type, status] of table) {
      const answer = yield* ask("GET", `${path}${sub}`, { token, ...accept(type) })
      assert.strictEqual(answer.status, status, `${sub} ${type}`)
      if (status === 200) assert.strictEqual(answer.body, "open sesame", `${sub} ${type}`)
      else assert.notInclude(answer.body, "sesame")
    }
    const list = yield* ask("GET", `${v1}/secrets`, { token, ...accept("text/plain") })
    assert.notInclude(list.body, "sesame")
    assert.strictEqual((yield* ask("POST", `${path}/payload`, { token, json: {} })).status, 405)
    assert.strictEqual((yield* ask("DELETE", path, { token })).status, 204)
    assert.strictEqual((yield* ask("DELETE", path, { token })).status, 404)
    assert.strictEqual((yield* ask("GET", `${v1}/secrets/none`, { token })).status, 404)
  }).pipe(cloud)
)

it.effect("a payload may follow once, as text or as bytes", () =>
  Effect.gen(function* () {
    const { token } = yield* creator("acme")
    const empty = yield* stored(token, { name: "later" })
    const put = (path: string, body: string, headers: Readonly<Record<string, string>>) =>
      ask("PUT", path, { token, body, headers })
    assert.notProperty((yield* ask("GET", empty.path, { token })).json, "content_types")
    assert.strictEqual((yield* ask("GET", `${empty.path}/payload`, { token, ...accept("text/plain") })).status, 404)
    const plain = { "content-type": "text/plain" }
    assert.strictEqual((yield* put(empty.path, "x", { "content-type": "application/json" })).status, 415)
    assert.strictEqual((yield* put(empty.path, "", plain)).status, 400)
    assert.strictEqual((yield* put(empty.path, "x".repeat(20_001), plain)).status, 413)
    assert.strictEqual((yield* put(empty.path, "x".repeat(20_000), plain)).status, 204)
    const again = yield* put(empty.path, "y", plain)
    assert.deepStrictEqual(
      [again.status, again.json],
      [409, { code: 409, title: "Conflict", description: "Secret already has data, cannot modify it." }]
    )
    const bytes = yield* stored(token, { name: "bytes" })
    const encoded = { "content-type": "application/octet-stream", "content-encoding": "base64" }
    assert.strictEqual((yield* put(bytes.path, Buffer.from([0xff, 0x00]).toString("base64"), encoded)).status, 204)
    assert.strictEqual((yield* ask("GET", `${bytes.path}/payload`, { token, ...accept("text/plain") })).status, 406)
    const types = (yield* ask("GET", bytes.path, { token })).json.content_types
    assert.deepStrictEqual(types, { default: "application/octet-stream" })
    const { world } = yield* SimulatedCloud
    const kept = Object.values(world.barbican.secrets).find((_) => _.name === "bytes")
    assert.strictEqual(kept?.payload, "/wA=")
  }).pipe(cloud)
)

describe("a new secret", () => {
  const bytes = { payload: "AAEC", payload_content_type: "application/octet-stream" }
  const table: ReadonlyArray<readonly [string, unknown, number, string | undefined]> = [
    ["of 20000 bytes", { ...text, payload: "x".repeat(20_000) }, 201, undefined],
    ["of one more", { ...text, payload: "x".repeat(20_001) }, 413, undefined],
    ["of blanks", { ...text, payload: "  " }, 400, "payload"],
    ["without a type for its payload", { payload: "x" }, 400, "payload_content_type"],
    ["of a type that is not known", { payload: "x", payload_content_type: "image/png" }, 400, "payload_content_type"],
    ["with a type and no payload", { payload_content_type: "text/plain" }, 400, "payload"],
    ["of bytes in base64", { ...bytes, payload_content_encoding: "base64" }, 201, undefined],
    ["of bytes in no encoding", bytes, 400, "payload_content_encoding"],
    ["of bytes in broken base64", { ...bytes, payload: "%", payload_content_encoding: "base64" }, 400, "payload"],
    ["of text in base64", { ...text, payload_content_encoding: "base64" }, 400, "payload_content_encoding"],
    ["with a number for its name", { name: 5 }, 400, "name"],
    ["with half a bit", { bit_length: 0.5 }, 400, "bit_length"],
    ["of an unknown kind", { secret_type: "rumour" }, 400, "secret_type"],
    ["with an expiration in the past", { expiration: "1969-12-31T23:59:59" }, 400, "expiration"],
    ["with an unreadable expiration", { expiration: "someday" }, 400, "expiration"]
  ]
  it.effect.each(table)("%s", ([, given, status, property]) =>
    Effect.gen(function* () {
      const { token } = yield* creator("acme")
      const answer = yield* store(token, given)
      assert.strictEqual(answer.status, status, answer.body)
      if (property !== undefined) {
        assert.match(answer.json.description, /^Provided object does not match schema 'Secret'/)
        assert.isTrue(answer.json.description.endsWith(`Invalid property: '${property}'`))
      }
    }).pipe(cloud)
  )

  it.effect("comes as JSON, and is deleted when it expires", () =>
    Effect.gen(function* () {
      const { projectId, token } = yield* creator("acme")
      const url = `${v1}/secrets`
      assert.strictEqual((yield* ask("POST", url, { token, body: "{}" })).status, 415)
      const headers = { "content-type": "application/json" }
      assert.strictEqual((yield* ask("POST", url, { token, body: "{", headers })).status, 400)
      const { path } = yield* stored(token, { ...text, expiration: "1970-01-01T01:00:00" })
      assert.strictEqual((yield* ask("GET", path, { token })).json.expiration, "1970-01-01T01:00:00")
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual((yield* ask("GET", path, { token })).status, 200)
      yield* TestClock.adjust("1 minute")
      // The first token has expired as well.
      const later = yield* login("gw-acme", "pw", projectId)
      assert.strictEqual((yield* ask("GET", path, { token: later })).status, 404)
      assert.strictEqual((yield* ask("GET", url, { token: later })).json.total, 0)
    }).pipe(cloud)
  )
})

it.effect("lists come ten at a time, a hundred at most, of the token's project alone", () =>
  Effect.gen(function* () {
    const acme = yield* creator("acme")
    const globex = yield* creator("globex")
    for (let n = 0; n < 12; n++) {
      yield* stored(acme.token, { name: `s${n}`, algorithm: n === 3 ? "aes" : "des", bit_length: 128 + n })
      yield* TestClock.adjust("1 second")
    }
    const list = (query = "", token = acme.token) => ask("GET", `${v1}/secrets${query}`, { token })
    const names = (answer: { readonly json: { secrets: ReadonlyArray<{ name: string }> } }) =>
      answer.json.secrets.map((_) => _.name)
    const first = yield* list()
    assert.deepStrictEqual([first.json.secrets.length, first.json.total], [10, 12])
    assert.notProperty(first.json, "previous")
    assert.strictEqual(first.json.next, `${base}${v1}/secrets?limit=10&offset=10`)
    const second = yield* list(new URL(first.json.next).search)
    assert.deepStrictEqual(names(second), ["s10", "s11"])
    assert.strictEqual(second.json.previous, `${base}${v1}/secrets?limit=10&offset=0`)
    assert.notProperty(second.json, "next")
    assert.strictEqual(names(yield* list("?limit=0")).length, 1)
    assert.strictEqual(names(yield* list("?limit=many")).length, 10)
    assert.deepStrictEqual((yield* list("?offset=12")).json, { secrets: [], total: 12 })
    assert.strictEqual((yield* list("?sort=colour")).status, 400)
    assert.strictEqual((yield* list("?sort=name:asc")).status, 200)
    assert.strictEqual(names(yield* list("?limit=1000&offset=x")).length, 12)
    assert.deepStrictEqual(names(yield* list("?name=s7")), ["s7"])
    assert.deepStrictEqual(names(yield* list("?alg=aes")), ["s3"])
    assert.deepStrictEqual(names(yield* list("?bits=130")), ["s2"])
    assert.strictEqual((yield* list("?bits=many")).json.total, 12)
    assert.deepStrictEqual((yield* list("", globex.token)).json, { secrets: [], total: 0 })
    // An administrator of the cloud is no more here than one of its own project.
    assert.deepStrictEqual((yield* list("?all_tenants=1", yield* controlToken)).json, { secrets: [], total: 0 })
  }).pipe(cloud)
)

it.effect("another project's resources are refused and not hidden, from an administrator too", () =>
  Effect.gen(function* () {
    const acme = yield* creator("acme")
    const globex = yield* creator("globex")
    const { path, ref } = yield* stored(acme.token)
    const json = { type: "generic", secret_refs: [{ name: "a", secret_ref: ref }] }
    const container = yield* ask("POST", `${v1}/containers`, { token: acme.token, json })
    assert.strictEqual(container.status, 201)
    const box: string = container.json.container_ref.slice(base.length)
    const table: ReadonlyArray<readonly [string, string, unknown]> = [
      ["GET", path, undefined],
      ["DELETE", path, undefined],
      ["GET", `${path}/payload`, undefined],
      ["GET", `${path}/acl`, undefined],
      ["PUT", `${path}/acl`, { read: { users: [globex.userId] } }],
      ["GET", `${path}/metadata`, undefined],
      ["PUT", `${path}/metadata`, { metadata: {} }],
      ["GET", box, undefined],
      ["DELETE", box, undefined],
      ["GET", `${box}/consumers`, undefined],
      ["POST", `${box}/consumers`, { name: "n", URL: "u" }],
      ["GET", `${box}/acl`, undefined]
    ]
    for (const token of [globex.token, yield* controlToken]) {
      for (const [method, url, given] of table) {
        assert.strictEqual((yield* ask(method, url, { token, json: given })).status, 403, `${method} ${url}`)
      }
      const asText = yield* ask("GET", path, { token, ...accept("text/plain") })
      assert.strictEqual(asText.status, 403)
      const taken = yield* ask("POST", `${v1}/containers`, { token, json })
      assert.strictEqual(taken.status, 404)
    }
    const stamped = yield* ask("GET", path, { token: globex.token, headers: { "x-project-id": acme.projectId } })
    assert.strictEqual(stamped.status, 403)
  }).pipe(cloud)
)

it.effect("an ACL admits a user from outside, and shuts colleagues out", () =>
  Effect.gen(function* () {
    const acme = yield* creator("acme")
    const globex = yield* creator("globex")
    const second = yield* colleague(acme.projectId, "second", fixtures.roles.creator)
    const { path, ref } = yield* stored(acme.token)
    const acl = `${path}/acl`
    const payload = (token: string) =>
      Effect.map(ask("GET", `${path}/payload`, { token, ...accept("text/plain") }), (_) => _.status)
    const show = Effect.map(ask("GET", acl, { token: acme.token }), (_) => _.json)
    assert.deepStrictEqual(yield* show, { read: { "project-access": true } })
    const write = (method: string, read: unknown, token = acme.token) => ask(method, acl, { token, json: { read } })
    const written = yield* write("PUT", { users: [globex.userId], "project-access": false })
    assert.deepStrictEqual([written.status, written.json], [200, { acl_ref: `${ref}/acl` }])
    assert.deepStrictEqual(
      [yield* payload(acme.token), yield* payload(globex.token), yield* payload(second.token)],
      [200, 200, 403]
    )
    const shared = yield* ask("GET", `${v1}/secrets?acl_only=true`, { token: globex.token })
    assert.strictEqual(shared.json.total, 1)
    assert.strictEqual((yield* ask("DELETE", path, { token: globex.token })).status, 403)
    assert.strictEqual((yield* ask("DELETE", path, { token: second.token })).status, 403)
    assert.strictEqual((yield* write("PUT", {}, second.token)).status, 403)
    yield* write("PATCH", { "project-access": true })
    assert.deepInclude((yield* show).read, { users: [globex.userId], "project-access": true })
    assert.strictEqual(yield* payload(second.token), 200)
    yield* write("PUT", { users: [], "project-access": true })
    assert.strictEqual(yield* payload(globex.token), 403)
    for (const read of [{ users: "all" }, { "project-access": "no" }, { colour: 1 }]) {
      assert.strictEqual((yield* write("PUT", read)).status, 400, JSON.stringify(read))
    }
    assert.strictEqual((yield* ask("PUT", acl, { token: acme.token, json: { write: {} } })).status, 400)
    assert.strictEqual((yield* ask("DELETE", acl, { token: acme.token })).status, 200)
    assert.deepStrictEqual(yield* show, { read: { "project-access": true } })
  }).pipe(cloud)
)

it.effect("metadata is a set of words with small keys", () =>
  Effect.gen(function* () {
    const { token } = yield* creator("acme")
    const { path, ref } = yield* stored(token)
    const url = `${path}/metadata`
    const put = yield* ask("PUT", url, { token, json: { metadata: { Owner: "ops", stage: "prod" } } })
    assert.deepStrictEqual([put.status, put.json], [201, { metadata_ref: `${ref}/metadata` }])
    assert.deepStrictEqual((yield* ask("GET", url, { token })).json, { metadata: { owner: "ops", stage: "prod" } })
    const table: ReadonlyArray<readonly [string, string, unknown, number]> = [
      ["POST", "", { key: "team", value: "a" }, 201],
      ["POST", "", { key: "team", value: "b" }, 409],
      ["POST", "", { key: "a/b", value: "b" }, 400],
      ["POST", "", { key: "only" }, 400],
      ["PUT", "", { metadata: { size: 5 } }, 400],
      ["PUT", "", {}, 400],
      ["GET", "/team", undefined, 200],
      ["GET", "/none", undefined, 404],
      ["PUT", "/team", { key: "team", value: "c" }, 200],
      ["PUT", "/team", { key: "other", value: "c" }, 409],
      ["PUT", "/none", { key: "none", value: "c" }, 404],
      ["DELETE", "/stage", undefined, 204],
      ["DELETE", "/stage", undefined, 404]
    ]
    for (const [method, sub, json, status] of table) {
      assert.strictEqual((yield* ask(method, `${url}${sub}`, { token, json })).status, status, `${method} ${sub}`)
    }
    assert.deepStrictEqual((yield* ask("GET", url, { token })).json, { metadata: { owner: "ops", team: "c" } })
  }).pipe(cloud)
)

it.effect("containers hold references to the project's own secrets, under the names that their type wants", () =>
  Effect.gen(function* () {
    const { projectId, token } = yield* creator("acme")
    const [a, b] = [yield* stored(token), yield* stored(token)]
    const make = (json: unknown) => ask("POST", `${v1}/containers`, { token, json })
    const refs = (...names: ReadonlyArray<string>) => names.map((name, i) => ({ name, secret_ref: [a, b][i]?.ref }))
    const missing = a.ref.replace(/[^/]+$/, "00000000-0000-4000-8000-000000000000")
    const table: ReadonlyArray<readonly [unknown, number]> = [
      [{ type: "generic" }, 201],
      [{ type: "generic", secret_refs: refs("x", "y") }, 201],
      [{ type: "rsa", secret_refs: refs("private_key", "public_key") }, 201],
      [{ type: "certificate", secret_refs: refs("certificate", "private_key") }, 201],
      [{ type: "rsa", secret_refs: refs("private_key") }, 400],
      [{ type: "rsa", secret_refs: refs("private_key", "other") }, 400],
      [{ type: "certificate", secret_refs: refs("private_key") }, 400],
      [{ type: "generic", secret_refs: refs("x", "x") }, 400],
      [{ type: "generic", secret_refs: [...refs("x"), { name: "y", secret_ref: a.ref }] }, 400],
      [{ type: "generic", secret_refs: [{ name: "x", secret_ref: `http://elsewhere${a.path}` }] }, 400],
      [{ type: "generic", secret_refs: [{ name: "x", secret_ref: missing }] }, 404],
      [{ type: "drawer" }, 400],
      [{}, 400]
    ]
    for (const [json, status] of table) assert.strictEqual((yield* make(json)).status, status, JSON.stringify(json))
    const list = yield* ask("GET", `${v1}/containers?limit=3`, { token })
    assert.deepStrictEqual([list.json.containers.length, list.json.total], [3, 4])
    const { container_ref } = (yield* make({ type: "generic", name: "box", secret_refs: refs("x") })).json
    const box: string = container_ref.slice(base.length)
    assert.strictEqual(
      (yield* ask("POST", `${box}/secrets`, { token, json: { name: "y", secret_ref: b.ref } })).status,
      201
    )
    // Nothing but the id of a reference is read there, and a secret may be there under two names.
    const other = `http://elsewhere${b.path}`
    for (const [method, json, status] of [
      ["POST", { name: "y", secret_ref: other }, 409],
      ["POST", { secret_ref: other }, 201],
      ["DELETE", { secret_ref: other }, 204],
      ["DELETE", { name: "x", secret_ref: a.ref }, 204]
    ] as const) {
      assert.strictEqual((yield* ask(method, `${box}/secrets`, { token, json })).status, status, method)
    }
    yield* ask("POST", `${box}/secrets`, { token, json: { secret_ref: other } })
    const held = (yield* ask("GET", box, { token })).json.secret_refs
    assert.deepInclude(held, { name: null, secret_ref: b.ref })
    const nameless = { token, json: { secret_ref: other } }
    assert.strictEqual((yield* ask("DELETE", `${box}/secrets`, nameless)).status, 204)
    const absent = yield* ask("DELETE", `${box}/secrets`, nameless)
    assert.deepStrictEqual([absent.status, absent.json.description], [404, "Secret provided is not in the container"])
    const consumer = { name: "balancer", URL: "https://lb.example/1" }
    const registered = yield* ask("POST", `${box}/consumers`, { token, json: consumer })
    assert.deepStrictEqual([registered.status, registered.json.consumers], [200, [consumer]])
    yield* ask("POST", `${box}/consumers`, { token, json: consumer })
    const shown = (yield* ask("GET", box, { token })).json
    assert.deepInclude(shown, {
      container_ref,
      name: "box",
      type: "generic",
      secret_refs: [{ name: "y", secret_ref: b.ref }],
      consumers: [consumer]
    })
    assert.strictEqual((yield* ask("GET", `${box}/consumers`, { token })).json.total, 1)
    assert.strictEqual((yield* ask("DELETE", `${box}/consumers`, { token, json: { name: "n", URL: "u" } })).status, 404)
    assert.deepStrictEqual((yield* ask("DELETE", `${box}/consumers`, { token, json: consumer })).json.consumers, [])
    // A colleague may fill a container, and not remove it.
    const second = yield* colleague(projectId, "second", fixtures.roles.creator)
    assert.strictEqual((yield* ask("DELETE", box, { token: second.token })).status, 403)
    assert.strictEqual((yield* ask("DELETE", box, { token })).status, 204)
    assert.strictEqual((yield* ask("GET", box, { token })).status, 404)
  }).pipe(cloud)
)

it.effect("consumers of secrets exist in both versions, and are shown with the secret in version 1.1", () =>
  Effect.gen(function* () {
    const { token } = yield* creator("acme")
    const { path } = yield* stored(token)
    const consumer = { service: "image", resource_type: "images", resource_id: "i" }
    const newer = { "openstack-api-version": "key-manager 1.1" }
    const url = `${path}/consumers`
    assert.deepStrictEqual((yield* ask("GET", url, { token })).json, { consumers: [], total: 0 })
    const made = yield* ask("POST", url, { token, json: consumer, headers: newer })
    assert.deepStrictEqual([made.status, made.json.consumers], [200, [consumer]])
    assert.notProperty((yield* ask("GET", path, { token })).json, "consumers")
    assert.strictEqual((yield* ask("GET", url, { token, headers: newer })).json.total, 1)
    const dropped = yield* ask("DELETE", url, { token, json: consumer, headers: newer })
    assert.deepStrictEqual([dropped.status, dropped.json.consumers], [200, []])
  }).pipe(cloud)
)

describe("orders", () => {
  const key = { type: "key", meta: { name: "k", algorithm: "aes", bit_length: 256, mode: "cbc" } }

  it.effect("a key exists when a worker has made it, and no tenant can remove its order", () =>
    Effect.gen(function* () {
      const { projectId, token } = yield* creator("acme")
      const placed = yield* ask("POST", `${v1}/orders`, { token, json: key })
      assert.strictEqual(placed.status, 202)
      const order: string = placed.json.order_ref.slice(base.length)
      const pending = (yield* ask("GET", order, { token })).json
      assert.deepInclude(pending, { status: "PENDING", type: "key", meta: key.meta })
      assert.notProperty(pending, "secret_ref")
      yield* TestClock.adjust("5 seconds")
      const { secret_ref, status } = (yield* ask("GET", order, { token })).json
      assert.strictEqual(status, "ACTIVE")
      const secret = (yield* ask("GET", secret_ref.slice(base.length), { token })).json
      assert.deepInclude(secret, {
        name: "k",
        secret_type: "symmetric",
        algorithm: "aes",
        bit_length: 256,
        mode: "cbc"
      })
      const { world } = yield* SimulatedCloud
      const [made] = Object.values(world.barbican.secrets)
      assert.strictEqual(Buffer.from(made?.payload ?? "", "base64").length, 32)
      assert.strictEqual((yield* ask("GET", `${v1}/orders`, { token })).json.total, 1)
      assert.strictEqual((yield* ask("DELETE", order, { token })).status, 403)
      const globex = yield* creator("globex")
      assert.strictEqual((yield* ask("GET", order, { token: globex.token })).status, 404)
      assert.strictEqual((yield* ask("DELETE", order, { token: yield* controlToken })).status, 404)
      const admin = yield* colleague(projectId, "admin-of-acme", fixtures.roles.admin)
      assert.strictEqual((yield* ask("DELETE", order, { token: admin.token })).status, 204)
    }).pipe(cloud)
  )

  it.effect("a system without a queue works within the request; a key pair comes in a container", () =>
    Effect.gen(function* () {
      const { token } = yield* creator("acme")
      const { world } = yield* SimulatedCloud
      world.barbican.orderMillis = 0
      const json = { type: "asymmetric", meta: { name: "pair", algorithm: "RSA", bit_length: 1024 } }
      const placed = yield* ask("POST", `${v1}/orders`, { token, json })
      const { container_ref, status } = (yield* ask("GET", placed.json.order_ref.slice(base.length), { token })).json
      assert.strictEqual(status, "ACTIVE")
      const { secret_refs, type } = (yield* ask("GET", container_ref.slice(base.length), { token })).json
      assert.strictEqual(type, "rsa")
      const { secret_ref } = secret_refs.find((_: { name: string }) => _.name === "public_key")
      const pem = yield* ask("GET", `${secret_ref.slice(base.length)}/payload`, { token, ...accept("text/plain") })
      assert.match(pem.body, /^-----BEGIN PUBLIC KEY-----/)
    }).pipe(cloud)
  )

  const refused: ReadonlyArray<readonly [string, unknown, number]> = [
    ["without a length", { type: "key", meta: { algorithm: "aes" } }, 400],
    ["without an algorithm", { type: "key", meta: { bit_length: 128 } }, 400],
    ["of a length that is not whole bytes", { type: "key", meta: { algorithm: "aes", bit_length: 100 } }, 400],
    ["with a payload", { type: "key", meta: { ...key.meta, payload: "x" } }, 400],
    ["of no kind", { type: "lunch", meta: {} }, 400],
    ["without meta", { type: "key" }, 400]
  ]
  it.effect.each(refused)("%s is refused", ([, json, status]) =>
    Effect.gen(function* () {
      const { token } = yield* creator("acme")
      assert.strictEqual((yield* ask("POST", `${v1}/orders`, { token, json })).status, status)
    }).pipe(cloud)
  )

  it.effect("end in an error and leave nothing when no plugin supports them", () =>
    Effect.gen(function* () {
      const { token } = yield* creator("acme")
      for (const json of [
        { type: "key", meta: { algorithm: "aes", bit_length: 512 } },
        { type: "asymmetric", meta: { algorithm: "dsa", bit_length: 1024 } },
        { type: "certificate", meta: {} }
      ]) {
        const { order_ref } = (yield* ask("POST", `${v1}/orders`, { token, json })).json
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* ask("GET", order_ref.slice(base.length), { token })).json.status, "ERROR")
      }
      assert.strictEqual((yield* ask("GET", `${v1}/secrets`, { token })).json.total, 0)
    }).pipe(cloud)
  )
})

it.effect("quotas are written by a role of their own, and refuse with the service's own message", () =>
  Effect.gen(function* () {
    const { projectId, token } = yield* creator("acme")
    const url = `${v1}/project-quotas/${projectId}`
    const limits = { project_quotas: { secrets: 1, containers: 0 } }
    const { world } = yield* SimulatedCloud
    const { adminProjectId, control, roles } = fixtures
    world.keystone.grants = world.keystone.grants.filter((_) => _.roleId !== roles.keyManagerServiceAdmin)
    // Not even an administrator of the cloud.
    for (const as of [token, yield* controlToken]) {
      assert.strictEqual((yield* ask("PUT", url, { token: as, json: limits })).status, 403)
      assert.strictEqual((yield* ask("GET", url, { token: as })).status, 403)
      assert.strictEqual((yield* ask("DELETE", url, { token: as })).status, 403)
    }
    yield* grant(adminProjectId, control.userId, roles.keyManagerServiceAdmin)
    const admin = yield* controlToken
    assert.strictEqual((yield* ask("GET", url, { token: admin })).status, 404)
    assert.strictEqual((yield* ask("PUT", url, { token: admin, json: { project_quotas: { colours: 1 } } })).status, 400)
    assert.strictEqual(
      (yield* ask("PUT", url, { token: admin, json: { project_quotas: { secrets: "1" } } })).status,
      400
    )
    assert.strictEqual((yield* ask("PUT", url, { token: admin, json: limits })).status, 204)
    assert.deepStrictEqual((yield* ask("GET", url, { token: admin })).json, {
      project_quotas: { secrets: 1, orders: null, containers: 0, consumers: null, cas: null }
    })
    assert.strictEqual((yield* ask("GET", `${v1}/project-quotas`, { token: admin })).json.total, 1)
    assert.deepStrictEqual((yield* ask("GET", `${v1}/quotas`, { token })).json, {
      quotas: { secrets: 1, orders: -1, containers: 0, consumers: -1, cas: -1 }
    })
    yield* stored(token)
    const over = yield* store(token)
    assert.deepStrictEqual(
      [over.status, over.json],
      [
        403,
        {
          code: 403,
          title: "Forbidden",
          description: "Secret creation issue seen - Creation not allowed because a quota has been reached."
        }
      ]
    )
    assert.strictEqual((yield* ask("POST", `${v1}/containers`, { token, json: { type: "generic" } })).status, 403)
    assert.strictEqual((yield* ask("DELETE", url, { token: admin })).status, 204)
    yield* stored(token)
  }).pipe(cloud)
)

it.effect("references begin with the requested host, unless the system has a host of its own", () =>
  Effect.gen(function* () {
    const { token } = yield* creator("acme")
    const asked = yield* ask("POST", `${v1}/secrets`, { token, json: text, headers: { host: "127.0.0.1:8090" } })
    assert.match(asked.json.secret_ref, /^http:\/\/127\.0\.0\.1:8090\/key-manager\/v1\/secrets\/[0-9a-f-]{36}$/)
    const { world } = yield* SimulatedCloud
    world.barbican.hostHref = "http://key-manager.internal:9311"
    const { secret_ref } = (yield* store(token)).json
    assert.match(secret_ref, /^http:\/\/key-manager\.internal:9311\/v1\/secrets\//)
    const versions = yield* ask("GET", "/key-manager/")
    assert.deepStrictEqual([versions.status, versions.json.versions.values[0].id], [300, "v1"])
    const stores = yield* ask("GET", `${v1}/secret-stores`, { token })
    assert.strictEqual(stores.status, 403)
    assert.strictEqual((yield* ask("GET", `${v1}/secret-stores`, { token: yield* controlToken })).status, 404)
  }).pipe(cloud)
)

it.effect("its version is at the root and at its own path, in the form of the microversion", () =>
  Effect.gen(function* () {
    const { token } = yield* tenantToken("acme")
    const newer = { "openstack-api-version": "key-manager 1.1" }
    const stable = yield* ask("GET", v1, { token })
    const { id, status, links } = stable.json.version
    assert.deepStrictEqual([stable.status, id, status, links[0].href], [200, "v1", "stable", `${base}${v1}/`])
    const current = yield* ask("GET", `${v1}/`, { token, headers: newer })
    assert.deepInclude(current.json.version, { status: "CURRENT", min_version: "1.0", max_version: "1.1" })
    assert.deepStrictEqual((yield* ask("GET", "/key-manager/")).json.versions.values, [stable.json.version])
    const root = yield* ask("GET", "/key-manager/", { headers: newer })
    assert.deepStrictEqual([root.status, root.json.versions], [300, [current.json.version]])
    assert.strictEqual((yield* ask("GET", v1)).status, 401)
    assert.strictEqual((yield* ask("POST", v1, { token })).status, 405)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
