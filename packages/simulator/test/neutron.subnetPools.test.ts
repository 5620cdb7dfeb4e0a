import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { controlToken, tenantToken } from "./ask.ts"
import { as } from "./neutron.ts"

const stage = Effect.gen(function* () {
  const [call, admin] = [as(yield* tenantToken("acme")), as({ token: yield* controlToken })]
  const pool = (body: object) => call("POST", "/subnetpools", { subnetpool: { name: "p", ...body } })
  const made = (body: object) => Effect.map(pool(body), (_) => String(_.json.subnetpool.id))
  const put = (id: string, body: object, by = call) => by("PUT", `/subnetpools/${id}`, { subnetpool: body })
  const scope = (body: object, by = call) =>
    Effect.map(by("POST", "/address-scopes", { address_scope: { name: "s", ...body } }), (_) =>
      String(_.json.address_scope.id)
    )
  const network = Effect.map(call("POST", "/networks", { network: { name: "n" } }), (_) => String(_.json.network.id))
  const subnet = Effect.fnUntraced(function* (body: object, network_id?: string) {
    const given = { network_id: network_id ?? (yield* network), ip_version: 4, ...body }
    return yield* call("POST", "/subnets", { subnet: given })
  })
  return { admin, call, made, network, pool, put, scope, subnet }
})

type Answer = { readonly status: number; readonly json: { readonly NeutronError?: { readonly type: string } } }

const refusal = ({ json, status }: Answer) => [status, json.NeutronError?.type]

const lengths = (pool: { readonly [key: string]: unknown }) =>
  ["min_prefixlen", "default_prefixlen", "max_prefixlen"].map((_) => pool[_])

const boundsWrong = [400, "IllegalSubnetPoolPrefixBounds"]
const inputWrong = [400, "InvalidInput"]
const requestWrong = [400, "HTTPBadRequest"]

it.effect("a subnet pool takes its lengths as text or numbers, and shows text, but numbers after an update", () =>
  Effect.gen(function* () {
    const { call, made, pool, put } = yield* stage
    const created = (yield* pool({ prefixes: ["10.11.12.13/24"], min_prefixlen: "29" })).json.subnetpool
    assert.deepStrictEqual([created.prefixes, lengths(created)], [["10.11.12.0/24"], ["29", "29", "32"]])
    const updated = (yield* put(created.id, { min_prefixlen: "28", default_prefixlen: 30 })).json.subnetpool
    assert.deepStrictEqual(lengths(updated), [28, 30, 32])
    assert.doesNotHaveAnyKeys(updated, ["default_quota", "address_scope_id"])
    assert.strictEqual((yield* put(created.id, { default_quota: "9" })).json.subnetpool.default_quota, 9)
    const shown = (yield* call("GET", `/subnetpools/${created.id}`)).json.subnetpool
    assert.deepStrictEqual(lengths(shown), ["28", "30", "32"])
    assert.deepInclude(shown, { default_quota: 9, address_scope_id: null })
    const wide = yield* made({ prefixes: ["10.0.0.0/8"], min_prefixlen: 24, max_prefixlen: 28 })
    for (const [body, expected] of [
      [{ min_prefixlen: 29 }, boundsWrong],
      [{ max_prefixlen: 33 }, boundsWrong],
      [{ default_prefixlen: 20 }, boundsWrong],
      [{ default_prefixlen: 29 }, boundsWrong],
      [{ min_prefixlen: "x" }, inputWrong],
      [{ default_quota: null }, inputWrong],
      [{ default_quota: -1 }, requestWrong]
    ] as const) {
      assert.deepStrictEqual(refusal(yield* put(wide, body)), expected, JSON.stringify(body))
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the prefixes of a subnet pool are networks of one version, merged, and only ever grow by an update", () =>
  Effect.gen(function* () {
    const { call, pool, put } = yield* stage
    for (const [prefixes, type] of [
      [[], "EmptySubnetPoolPrefixList"],
      [["10.0.0.0/24", "2001:db8::/32"], "PrefixVersionMismatch"],
      [["10.0.0.0/24", "10.0.0.0/24"], "HTTPBadRequest"],
      [["10.0.0.0"], "HTTPBadRequest"],
      [["x"], "HTTPBadRequest"]
    ] as const) {
      assert.deepStrictEqual(refusal(yield* pool({ prefixes })), [400, type], prefixes.join())
    }
    const made = yield* pool({ prefixes: ["192.168.1.0/24", "192.168.0.0/24", "10.0.0.0/8"] })
    assert.deepStrictEqual(made.json.subnetpool.prefixes, ["10.0.0.0/8", "192.168.0.0/23"])
    const id: string = made.json.subnetpool.id
    const less = yield* put(id, { prefixes: ["10.0.0.0/8"] })
    assert.deepStrictEqual(refusal(less), [400, "IllegalSubnetPoolPrefixUpdate"])
    const more = yield* put(id, { prefixes: ["10.0.0.0/7", "192.168.0.0/16", "192.168.3.0/24"] })
    assert.deepStrictEqual(more.json.subnetpool.prefixes, ["10.0.0.0/7", "192.168.0.0/16"])
    const change = (action: string, body: object) => call("PUT", `/subnetpools/${id}/${action}_prefixes`, body)
    const added = yield* change("add", { prefixes: ["192.169.0.0/16"] })
    assert.deepStrictEqual(added.json.prefixes, ["10.0.0.0/7", "192.168.0.0/15"])
    const removed = yield* change("remove", { prefixes: ["192.168.0.0/16", "10.0.0.0/8"] })
    assert.deepStrictEqual(removed.json.prefixes, ["11.0.0.0/8", "192.169.0.0/16"])
    assert.deepStrictEqual(refusal(yield* change("add", { prefixes: ["::/64"] })), [400, "PrefixVersionMismatch"])
    assert.deepStrictEqual(refusal(yield* change("add", { prefixes: ["x"] })), [400, "AddrFormatError"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("pools of an address scope have its IP version and no address in common", () =>
  Effect.gen(function* () {
    const { admin, call, made, pool, put, scope } = yield* stage
    const [v4, v6] = [yield* scope({ ip_version: 4 }), yield* scope({ ip_version: 6 })]
    const everybodys = yield* scope({ ip_version: 4, shared: true }, admin)
    const one = yield* made({ prefixes: ["20.0.0.0/18"], address_scope_id: v4 })
    yield* made({ prefixes: ["20.10.0.0/24"], address_scope_id: v4 })
    const conflict = [409, "AddressScopePrefixConflict"]
    const misfit = [400, "IllegalSubnetPoolIpVersionAssociationToAddressScope"]
    assert.deepStrictEqual(refusal(yield* put(one, { prefixes: ["20.0.0.0/12"] })), conflict)
    const added = yield* call("PUT", `/subnetpools/${one}/add_prefixes`, { prefixes: ["20.10.0.0/28"] })
    assert.deepStrictEqual(refusal(added), conflict)
    assert.deepStrictEqual(refusal(yield* put(one, { address_scope_id: v6 })), misfit)
    assert.deepStrictEqual(refusal(yield* pool({ prefixes: ["9.0.0.0/8"], address_scope_id: v6 })), misfit)
    assert.strictEqual((yield* put(one, { address_scope_id: everybodys })).status, 200)
    const refused = [400, "IllegalSubnetPoolUpdate"]
    assert.deepStrictEqual(refusal(yield* put(one, { address_scope_id: v4 })), refused)
    assert.deepStrictEqual(refusal(yield* put(one, { prefixes: ["20.0.0.0/17"] })), refused)
    assert.strictEqual((yield* put(one, { prefixes: ["20.0.0.0/17"] }, admin)).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a pool allocates subnets of its lengths and version, within each project's quota", () =>
  Effect.gen(function* () {
    const { made, network, subnet } = yield* stage
    const bounds = { min_prefixlen: 26, max_prefixlen: 28, default_prefixlen: 27 }
    const subnetpool_id = yield* made({ prefixes: ["30.0.0.0/24"], default_quota: 64, ...bounds })
    const taken = (body: object, network_id?: string) => subnet({ subnetpool_id, ...body }, network_id)
    for (const [body, status, type] of [
      [{ prefixlen: 25 }, 400, "MinPrefixSubnetAllocationError"],
      [{ prefixlen: 29 }, 400, "MaxPrefixSubnetAllocationError"],
      [{ cidr: "30.0.0.0/25" }, 400, "MinPrefixSubnetAllocationError"],
      [{ cidr: "40.0.0.0/27" }, 500, "SubnetAllocationError"],
      [{ ip_version: 6 }, 400, "BadRequest"],
      [{ prefixlen: 27, cidr: "30.0.0.0/27" }, 400, "BadRequest"]
    ] as const) {
      assert.deepStrictEqual(refusal(yield* taken(body)), [status, type], JSON.stringify(body))
    }
    const network_id = yield* network
    assert.strictEqual((yield* taken({ cidr: "30.0.0.32/27" }, network_id)).status, 201)
    assert.deepStrictEqual(refusal(yield* taken({ cidr: "30.0.0.32/27" })), [500, "SubnetAllocationError"])
    assert.strictEqual((yield* taken({ prefixlen: "27" })).json.subnet.cidr, "30.0.0.0/27")
    assert.deepStrictEqual(refusal(yield* taken({ prefixlen: 28 })), [409, "SubnetPoolQuotaExceeded"])
    const stranger = yield* subnet({ cidr: "77.0.0.0/24" }, network_id)
    assert.deepStrictEqual(refusal(stranger), [400, "NetworkSubnetPoolAffinityError"])
    const six = yield* made({ prefixes: ["2001:db8::/48"], default_quota: 1 })
    const ofSix = { ip_version: 6, subnetpool_id: six }
    assert.strictEqual((yield* subnet(ofSix)).status, 201)
    assert.deepStrictEqual(refusal(yield* subnet(ofSix)), [409, "SubnetPoolQuotaExceeded"])
    const full = yield* made({ prefixes: ["50.0.0.0/29"], min_prefixlen: 29 })
    assert.strictEqual((yield* subnet({ subnetpool_id: full })).status, 201)
    assert.deepStrictEqual(refusal(yield* subnet({ subnetpool_id: full })), [500, "SubnetAllocationError"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
