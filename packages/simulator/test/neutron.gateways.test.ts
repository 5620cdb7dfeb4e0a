import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { controlToken, tenantToken } from "./ask.ts"
import { as } from "./neutron.ts"

const network_id = fixtures.externalNetworkId

it.effect("a member gives its router further gateways, changes and removes them, by calls of their own", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenantToken("acme"), yield* tenantToken("globex")]
    const call = as(acme)
    const url = `/routers/${(yield* call("POST", "/routers", { router: {} })).json.router.id}`
    const act = (action: string, external_gateways: unknown, tenant = acme) =>
      as(tenant)("PUT", `${url}/${action}_external_gateways`, { router: { external_gateways } })
    const added = yield* act("add", [{ network_id }, { network_id }])
    assert.strictEqual(added.status, 200)
    const { external_gateway_info: info, external_gateways: gateways } = added.json.router
    assert.strictEqual(gateways.length, 2)
    assert.deepStrictEqual(info, { ...gateways[0], enable_snat: true })
    const ports = yield* as({ token: yield* controlToken })("GET", "/ports?device_owner=network:router_gateway")
    assert.strictEqual(ports.json.ports.length, 2)
    const refused: ReadonlyArray<readonly [string, unknown, typeof acme, number, string]> = [
      ["add", [{ network_id, enable_snat: false }], acme, 403, "PolicyNotAuthorized"],
      ["update", [{ network_id, external_fixed_ips: [] }], acme, 403, "PolicyNotAuthorized"],
      ["remove", [{ network_id }], acme, 404, "UnableToMatchGateways"],
      ["add", [{}], acme, 400, "HTTPBadRequest"],
      ["add", {}, acme, 400, "HTTPBadRequest"],
      ["add", [{ network_id }], globex, 404, "RouterNotFound"]
    ]
    for (const [action, body, tenant, status, type] of refused) {
      const answer = yield* act(action, body, tenant)
      assert.deepStrictEqual([answer.status, answer.json.NeutronError.type], [status, type], action)
    }
    // Without the first gateway the second one takes its place.
    const dropped = yield* call("PUT", url, { router: { external_gateway_info: null } })
    assert.deepStrictEqual(dropped.json.router.external_gateways, [gateways[1]])
    assert.deepStrictEqual(dropped.json.router.external_gateway_info, { ...gateways[1], enable_snat: true })
    const removed = yield* act("remove", [{ network_id }])
    assert.deepStrictEqual([removed.status, removed.json.router.external_gateway_info], [200, null])
    assert.strictEqual((yield* act("remove", [{ network_id }])).json.NeutronError.type, "UnableToRemoveGateways")
    const replaced = yield* act("update", [{ network_id }])
    assert.strictEqual(replaced.json.router.external_gateway_info.network_id, network_id)
    assert.deepStrictEqual((yield* act("update", [])).json.router.external_gateways, [])
    // The attribute itself is for reading only.
    for (const [method, path] of [
      ["POST", "/routers"],
      ["PUT", url]
    ] as const) {
      assert.strictEqual((yield* call(method, path, { router: { external_gateways: [{ network_id }] } })).status, 400)
    }
    yield* act("add", [{ network_id }, { network_id }])
    assert.strictEqual((yield* call("DELETE", url)).status, 204)
    const { world } = yield* SimulatedCloud
    assert.deepStrictEqual(world.neutron.ports, {})
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
