import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { tenantToken } from "./ask.ts"
import { as } from "./neutron.ts"

type Answer = { readonly status: number; readonly json: { readonly NeutronError: { readonly message: string } } }

const refusal = ({ json, status }: Answer) => [status, json.NeutronError.message]

const stage = Effect.gen(function* () {
  const call = as(yield* tenantToken("acme"))
  const network_id: string = (yield* call("POST", "/networks", { network: { name: "n" } })).json.network.id
  const subnet = { network_id, ip_version: 4, cidr: "10.1.0.0/24" }
  const subnet_id: string = (yield* call("POST", "/subnets", { subnet })).json.subnet.id
  const id: string = (yield* call("POST", "/routers", { router: {} })).json.router.id
  const path = `/routers/${id}`
  const put = (routes: unknown) => call("PUT", path, { router: { routes } })
  const wire = (action: string) => call("PUT", `${path}/${action}_router_interface`, { subnet_id })
  const revision = Effect.map(call("GET", path), (_) => Number(_.json.router.revision_number))
  return { call, id, network_id, path, put, revision, subnet_id, wire }
})

const route = (destination: string, nexthop = "10.1.0.9") => ({ destination, nexthop })

it.effect("a router's routes need reachable next hops, and keep its interface", () =>
  Effect.gen(function* () {
    const { call, id, put, subnet_id, wire } = yield* stage
    const routes = [route("20.0.0.0/24")]
    const invalid = (nexthop: string, why: string) => [
      400,
      `Invalid format for routes: [{'destination': '20.0.0.0/24', 'nexthop': '${nexthop}'}], the nexthop is ${why} router`
    ]
    assert.deepStrictEqual(refusal(yield* put(routes)), invalid("10.1.0.9", "not connected with"))
    yield* wire("add")
    for (const [nexthop, why] of [
      ["10.9.0.1", "not connected with"],
      ["10.1.0.1", "used by"]
    ] as const) {
      assert.deepStrictEqual(refusal(yield* put([route("20.0.0.0/24", nexthop)])), invalid(nexthop, why))
    }
    for (const [wrong, why] of [
      [[route("20.0.0.1/24")], "'20.0.0.1/24' is not a recognized CIDR, '20.0.0.0/24' is recommended"],
      [[route("127.0.0.0/8")], "'127.0.0.0/8' is not a routable CIDR"],
      [[...routes, ...routes], "Duplicate hostroute '{'destination': '20.0.0.0/24', 'nexthop': '10.1.0.9'}'"],
      [[1], "Invalid input. '1' must be a dictionary with keys: ['destination', 'nexthop']"],
      ["x", "Invalid data format for hostroute: 'x'"]
    ] as const) {
      assert.deepStrictEqual(refusal(yield* put(wrong)), [400, `Invalid input for routes. Reason: ${why}.`])
    }
    const many = yield* put(Array.from({ length: 31 }, (_, at) => route(`20.0.${at}.0/24`)))
    const exhausted = `Unable to complete operation for ${id}. The number of routes exceeds the maximum 30.`
    assert.deepStrictEqual(refusal(many), [400, exhausted])
    const both = yield* put([route("30.0.0.0/24"), ...routes])
    assert.deepStrictEqual(both.json.router.routes, [...routes, route("30.0.0.0/24")])
    const needed =
      `Router interface for subnet ${subnet_id} on router ${id} cannot be deleted, as it is required by one or more ` +
      "routes."
    assert.deepStrictEqual(refusal(yield* wire("remove")), [409, needed])
    assert.deepStrictEqual((yield* put(null)).json.router.routes, [])
    assert.strictEqual((yield* wire("remove")).status, 200)
    assert.strictEqual((yield* call("POST", "/routers", { router: { routes } })).status, 400)
    assert.strictEqual((yield* call("GET", "/extensions/extraroute")).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("static routes are added and removed singly, with the same checks", () =>
  Effect.gen(function* () {
    const { call, path, revision, wire } = yield* stage
    yield* wire("add")
    const change = (action: string, routes: ReadonlyArray<object>) =>
      call("PUT", `${path}/${action}_extraroutes`, { router: { routes } })
    const [eight, nine] = [route("10.8.0.0/16"), route("10.9.0.0/16")]
    yield* change("add", [eight])
    const before = yield* revision
    assert.deepStrictEqual((yield* change("add", [eight])).json.router.routes, [eight])
    assert.strictEqual(yield* revision, before)
    assert.deepStrictEqual((yield* change("add", [nine, nine])).json.router.routes, [eight, nine])
    assert.deepStrictEqual((yield* change("remove", [eight, route("10.7.0.0/16")])).json.router.routes, [nine])
    assert.strictEqual((yield* change("add", [{}])).status, 400)
    assert.strictEqual((yield* change("add", [route("10.8.0.0/16", "10.99.0.1")])).status, 400)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a port's DHCP options are set by name, and a null removes one", () =>
  Effect.gen(function* () {
    const { call, network_id } = yield* stage
    const post = (extra_dhcp_opts: unknown) => call("POST", "/ports", { port: { network_id, extra_dhcp_opts } })
    const option = (opt_name: unknown, opt_value: unknown, more: object = {}) => ({ opt_name, opt_value, ...more })
    const unmatched = (text: string) => `No valid key specs matched for: ${text}`
    for (const [options, why] of [
      ["x", "'x' is not a list"],
      [[1], unmatched("1")],
      [[option("a", "")], unmatched("{'opt_name': 'a', 'opt_value': ''}")],
      [[option("a", 5)], unmatched("{'opt_name': 'a', 'opt_value': 5}")],
      [[option(" ", "b")], unmatched("{'opt_name': ' ', 'opt_value': 'b'}")],
      [[{ opt_name: "a" }], unmatched("{'opt_name': 'a'}")],
      [[option("a", "b", { more: 1 })], unmatched("{'opt_name': 'a', 'opt_value': 'b', 'more': 1}")],
      [[option("a", "b", { ip_version: 5 })], unmatched("{'opt_name': 'a', 'opt_value': 'b', 'ip_version': 5}")]
    ] as const) {
      assert.deepStrictEqual(refusal(yield* post(options)), [400, `Invalid input for operation: ${why}.`])
    }
    assert.strictEqual((yield* post([option("a", "b"), option("a", "c")])).status, 409)
    const { extra_dhcp_opts, id } = (yield* post([option("a", "1"), option("b", "2", { ip_version: "6" })])).json.port
    const [a, b] = [option("a", "1", { ip_version: 4 }), option("b", "2", { ip_version: 6 })]
    assert.deepStrictEqual(extra_dhcp_opts, [a, b])
    const put = (extra_dhcp_opts: unknown) =>
      Effect.map(call("PUT", `/ports/${id}`, { port: { extra_dhcp_opts } }), (_) => _.json.port.extra_dhcp_opts)
    assert.deepStrictEqual(yield* put([option("a", "3")]), [{ ...a, opt_value: "3" }, b])
    assert.deepStrictEqual(yield* put([option("a", null), option("c", null)]), [b])
    assert.deepStrictEqual(yield* put([]), [b])
    assert.strictEqual((yield* call("GET", "/extensions/extra_dhcp_opt")).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the service providers are the router service's own", () =>
  Effect.gen(function* () {
    const { call } = yield* stage
    const names = (query: string) =>
      Effect.map(call("GET", `/service-providers${query}`), (_) =>
        _.json.service_providers.map(({ name }: { readonly name: string }) => name)
      )
    assert.deepStrictEqual(yield* names(""), ["dvrha", "dvr", "ha", "single_node"])
    assert.deepStrictEqual(yield* names("?service_type=VPN"), [])
    assert.strictEqual((yield* call("GET", "/extensions/service-type")).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
