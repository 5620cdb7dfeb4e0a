import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask, controlToken, tenantToken } from "./ask.ts"
import { as, v2 } from "./neutron.ts"

it.effect("lists are filtered, cut to fields and paged, and refuse unknown filters", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const globex = yield* tenantToken("globex")
    const admin = as({ token: yield* controlToken })
    for (const name of ["a", "b", "c"]) {
      yield* admin("POST", "/networks", { network: { name, project_id: acme.projectId, description: `of ${name}` } })
    }
    yield* as(globex)("POST", "/networks", { network: { name: "a" } })
    const names = (path: string) =>
      Effect.map(admin("GET", path), (_) => _.json.networks.map((one: { name: string }) => one.name))
    const [first] = (yield* as(acme)("GET", "/networks?name=b&fields=id")).json.networks
    assert.deepStrictEqual(Object.keys(first), ["id"])
    const table: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["name=a&name=b", ["a", "b", "a"]],
      [`name=a&project_id=${globex.projectId}`, ["a"]],
      [`tenant_id=${acme.projectId}`, ["a", "b", "c"]],
      ["description=of%20c", ["c"]],
      [`id=${first.id}`, ["b"]],
      ["router:external=true", ["public"]],
      ["status=DOWN", []],
      [`project_id=${acme.projectId}&sort_key=name&sort_dir=desc`, ["c", "b", "a"]]
    ]
    for (const [query, expected] of table) {
      assert.deepStrictEqual(yield* names(`/networks?${query}`), expected, query)
      assert.deepStrictEqual(yield* names(`/networks.json?${query}`), expected, query)
    }
    const unknown = yield* admin("GET", "/networks?all_tenants=1")
    assert.deepStrictEqual(
      [unknown.status, unknown.json.NeutronError.message],
      [400, "['all_tenants'] is invalid attribute for filtering"]
    )
    const page = yield* ask("GET", `${v2}/networks.json?limit=1&name=b`, { token: acme.token })
    assert.strictEqual(
      page.json.networks_links[0].href,
      `http://cloud.simulated/network/v2.0/networks.json?limit=1&name=b&marker=${first.id}`
    )
    const seen: Array<string> = []
    let query = `project_id=${acme.projectId}&limit=2`
    for (;;) {
      const page = (yield* admin("GET", `/networks?${query}`)).json
      seen.push(...page.networks.map((_: { id: string }) => _.id))
      const next = page.networks_links.find((_: { rel: string }) => _.rel === "next")
      if (next === undefined) break
      query = next.href.split("?")[1]
    }
    assert.strictEqual(new Set(seen).size, 3)
    assert.deepStrictEqual(seen, seen.toSorted())
    const tag = `/networks/${first.id}/tags`
    const put = yield* as(acme)("PUT", tag, { tags: ["tier:1", "blue", "blue"] })
    assert.deepStrictEqual([put.status, put.json], [200, { tags: ["blue", "tier:1"] }])
    assert.deepStrictEqual(yield* names("/networks?tags=blue,tier:1"), ["b"])
    assert.deepStrictEqual(yield* names("/networks?tags=blue,green"), [])
    assert.deepStrictEqual(yield* names("/networks?tags-any=blue,green"), ["b"])
    assert.strictEqual((yield* as(acme)("PUT", `${tag}/green`)).status, 201)
    assert.strictEqual((yield* as(acme)("DELETE", `${tag}/green`)).status, 204)
    assert.strictEqual((yield* as(acme)("DELETE", `${tag}/green`)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a read can create a network with an external route, once", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const { world } = yield* SimulatedCloud
    const before = structuredClone(world.neutron)
    const url = `/auto-allocated-topology/${acme.projectId}`
    assert.strictEqual(
      (yield* as(acme)("GET", `${url}?fields=dry-run`)).json.auto_allocated_topology.id,
      "dry-run=pass"
    )
    assert.strictEqual((yield* as(acme)("GET", `${url}?fields=id`)).status, 400)
    assert.deepStrictEqual(world.neutron, before)
    const [made, again] = [yield* as(acme)("GET", url), yield* as(acme)("GET", "/auto-allocated-topology/null")]
    assert.deepStrictEqual([again.status, again.json], [200, made.json])
    const [router] = (yield* as(acme)("GET", "/routers")).json.routers
    assert.strictEqual(router.external_gateway_info.network_id, fixtures.externalNetworkId)
    const globex = yield* tenantToken("globex")
    assert.strictEqual((yield* as(globex)("GET", url)).status, 403)
    assert.strictEqual((yield* as(acme)("DELETE", url)).status, 204)
    // The default group stays, as it does for every project.
    const { security_group_rules, security_groups } = before
    assert.deepStrictEqual({ ...world.neutron, security_group_rules, security_groups }, before)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
