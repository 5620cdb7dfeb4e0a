import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask, controlToken, tenantToken } from "./ask.ts"

it.effect("a token's project decides, not a header", () =>
  Effect.gen(function* () {
    const admin = yield* controlToken
    const created = yield* ask("POST", "/identity/v3/projects", { token: admin, json: { project: { name: "acme" } } })
    assert.strictEqual(created.status, 201)
    const again = yield* ask("POST", "/identity/v3/projects", { token: admin, json: { project: { name: " ACME " } } })
    assert.strictEqual(again.status, 409)
    const tenant = yield* tenantToken("globex")
    const foreign = yield* ask("GET", `/identity/v3/projects/${created.json.project.id}`, {
      token: tenant.token,
      headers: { "x-project-id": fixtures.adminProjectId, "x-roles": "admin" }
    })
    assert.strictEqual(foreign.status, 403)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a wrong password, an unknown project and a missing role answer the same bytes", () =>
  Effect.gen(function* () {
    const login = (user: object, project: string) =>
      ask("POST", "/identity/v3/auth/tokens", {
        json: { auth: { identity: { methods: ["password"], password: { user } }, scope: { project: { id: project } } } }
      })
    const { name, password } = fixtures.control
    const wrong = yield* login({ name, password: "no" }, fixtures.adminProjectId)
    const nowhere = yield* login({ name, password }, "0".repeat(32))
    assert.strictEqual(wrong.status, 401)
    const { "x-openstack-request-id": _, ...headers } = wrong.headers
    assert.deepInclude(nowhere, { status: 401, body: wrong.body })
    assert.deepInclude(nowhere.headers, headers)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("tags: a second PUT of one tag is a 400, as upstream", () =>
  Effect.gen(function* () {
    const token = yield* controlToken
    const url = `/identity/v3/projects/${fixtures.adminProjectId}/tags/tier%3Adiscovery`
    assert.strictEqual((yield* ask("PUT", url, { token })).status, 201)
    assert.strictEqual((yield* ask("PUT", url, { token })).status, 400)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("every token can read the regions", () =>
  Effect.gen(function* () {
    const { token } = yield* tenantToken("acme")
    const root = "/identity/v3/regions"
    const all = yield* ask("GET", root, { token })
    const region = {
      id: "RegionOne",
      description: "",
      parent_region_id: null,
      links: { self: `http://cloud.simulated${root}/RegionOne` }
    }
    assert.deepStrictEqual([all.status, all.json.regions], [200, [region]])
    assert.deepStrictEqual((yield* ask("GET", `${root}/RegionOne`, { token })).json, { region })
    assert.deepStrictEqual((yield* ask("GET", `${root}?parent_region_id=x`, { token })).json.regions, [])
    const absent = yield* ask("GET", `${root}/one`, { token })
    assert.deepStrictEqual([absent.status, absent.json.error.message], [404, "Could not find region: one."])
    assert.strictEqual((yield* ask("GET", root)).status, 401)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
