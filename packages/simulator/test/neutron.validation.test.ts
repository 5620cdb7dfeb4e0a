import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { tenantToken } from "./ask.ts"
import { as } from "./neutron.ts"

type Refused = { readonly status: number; readonly body: string; readonly json: { readonly NeutronError: object } }

const refusal = ({ json, status }: Refused) => [status, json.NeutronError]

const neutronError = (status: number, type: string, message: string) => [status, { type, message, detail: "" }]

const absent = "00000000-0000-4000-8000-000000000000"

const stage = Effect.gen(function* () {
  const acme = yield* tenantToken("acme")
  const call = as(acme)
  const { id: network_id } = (yield* call("POST", "/networks", { network: { name: "n" } })).json.network
  const subnet = (more: object) =>
    call("POST", "/subnets", { subnet: { network_id, ip_version: 4, cidr: "10.1.0.0/24", ...more } })
  return { call, network_id, subnet }
})

it.effect("a subnet stores its host routes, and refuses invalid ones", () =>
  Effect.gen(function* () {
    const { call, subnet } = yield* stage
    const host_routes = [{ destination: "10.20.0.0/16", nexthop: "10.1.0.9" }]
    const made = yield* subnet({ host_routes })
    assert.deepStrictEqual(made.json.subnet.host_routes, host_routes)
    const path = `/subnets/${made.json.subnet.id}`
    const put = (host_routes: unknown) => call("PUT", path, { subnet: { host_routes } })
    const [route] = host_routes
    for (const [wrong, why] of [
      ["x", "Invalid data format for hostroute"],
      [[{ destination: "10.20.0.0/16" }], "Validation of dictionary's keys failed."],
      [
        [{ ...route, destination: "10.20.0.1/16" }],
        "'10.20.0.1/16' is not a recognized CIDR, '10.20.0.0/16' is recommended"
      ],
      [[{ ...route, nexthop: "next" }], "'next' is not a valid IP address"],
      [[route, route], "Duplicate hostroute"],
      [[{ destination: "2001:db8::/32", nexthop: "2001:db8::1" }], "does not match the ip_version '4'"],
      [
        Array.from({ length: 21 }, (_, i) => ({ ...route, destination: `10.20.${i}.0/24` })),
        "The number of host routes exceeds the limit 20."
      ]
    ] as const) {
      const refused = yield* put(wrong)
      assert.strictEqual(refused.status, 400, why)
      assert.include(refused.json.NeutronError.message, why)
    }
    assert.deepStrictEqual((yield* call("GET", path)).json.subnet.host_routes, host_routes)
    assert.deepStrictEqual((yield* put([])).json.subnet.host_routes, [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a port has either stateful groups or stateless ones", () =>
  Effect.gen(function* () {
    const { call, network_id } = yield* stage
    const group = (stateful: boolean) =>
      Effect.map(call("POST", "/security-groups", { security_group: { name: "g", stateful } }), (_) =>
        String(_.json.security_group.id)
      )
    const security_groups = [yield* group(true), yield* group(false)]
    const mixed = neutronError(
      409,
      "SecurityGroupConflict",
      "Error Cannot apply both stateful and stateless security groups on the same port at the same time while " +
        "attempting the operation."
    )
    assert.deepStrictEqual(refusal(yield* call("POST", "/ports", { port: { network_id, security_groups } })), mixed)
    const port = yield* call("POST", "/ports", { port: { network_id, security_groups: security_groups.slice(1) } })
    assert.strictEqual(port.status, 201)
    assert.deepStrictEqual(
      refusal(yield* call("PUT", `/ports/${port.json.port.id}`, { port: { security_groups } })),
      mixed
    )
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("address pairs are unique addresses, and default to the port's MAC address", () =>
  Effect.gen(function* () {
    const { call, network_id } = yield* stage
    const port = (allowed_address_pairs: unknown) =>
      call("POST", "/ports", { port: { network_id, allowed_address_pairs } })
    const made = (yield* port([
      { ip_address: "10.1.0.7" },
      { ip_address: "10.2.0.0/16", mac_address: "aa:bb:cc:dd:ee:f0" }
    ])).json.port
    assert.deepStrictEqual(made.allowed_address_pairs, [
      { mac_address: made.mac_address, ip_address: "10.1.0.7" },
      { mac_address: "aa:bb:cc:dd:ee:f0", ip_address: "10.2.0.0/16" }
    ])
    const one = { ip_address: "10.1.0.7" }
    for (const [pairs, type, message] of [
      ["x", "HTTPBadRequest", "Allowed address pairs must be a list."],
      [
        [{ mac_address: "aa:bb:cc:dd:ee:f0" }],
        "AllowedAddressPairsMissingIP",
        "AllowedAddressPair must contain ip_address"
      ],
      [[{ ...one, mac_address: "mac" }], "HTTPBadRequest", "'mac' is not a valid MAC address"],
      [
        [{ ...one, mac_address: "01:00:5e:00:00:01" }],
        "HTTPBadRequest",
        "MAC address 01:00:5e:00:00:01 is a multicast address, which is not supported."
      ],
      [[{ ip_address: "10.1.0.300" }], "HTTPBadRequest", "'10.1.0.300' is not a valid IP address"],
      [[{ ip_address: "10.1/16" }], "HTTPBadRequest", "'10.1/16' is not a valid IP subnet"],
      [[{ ip_address: "224.0.0.5" }], "HTTPBadRequest", "IP 224.0.0.5 is a multicast address, which is not supported."],
      [[{ ...one, colour: "red" }], "HTTPBadRequest", "Unrecognized attribute(s) 'colour'"],
      [
        [one, one],
        "DuplicateAddressPairInRequest",
        "Request contains duplicate address pair: mac_address None ip_address 10.1.0.7."
      ],
      [
        Array.from({ length: 11 }, (_, i) => ({ ip_address: `10.1.0.${i + 1}` })),
        "AllowedAddressPairExhausted",
        "The number of allowed address pair exceeds the maximum 10."
      ]
    ] as const) {
      assert.deepStrictEqual(refusal(yield* port(pairs)), neutronError(400, type, message))
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a port without port security has neither groups nor address pairs", () =>
  Effect.gen(function* () {
    const { call, network_id } = yield* stage
    const { id } = (yield* call("POST", "/security-groups", { security_group: { name: "g" } })).json.security_group
    const open = { network_id, port_security_enabled: false }
    const named = neutronError(
      400,
      "PortSecurityAndIPRequiredForSecurityGroups",
      "Port security must be enabled and port must have an IP address in order to use security groups."
    )
    const paired = neutronError(
      409,
      "AddressPairAndPortSecurityRequired",
      "Port Security must be enabled in order to have allowed address pairs on a port."
    )
    const pairs = { allowed_address_pairs: [{ ip_address: "10.1.0.7" }] }
    assert.deepStrictEqual(refusal(yield* call("POST", "/ports", { port: { ...open, security_groups: [id] } })), named)
    assert.deepStrictEqual(refusal(yield* call("POST", "/ports", { port: { ...open, ...pairs } })), paired)
    const port = (yield* call("POST", "/ports", { port: open })).json.port
    assert.deepStrictEqual([port.security_groups, port.port_security_enabled], [[], false])
    const put = (port_id: string, more: object) => call("PUT", `/ports/${port_id}`, { port: more })
    assert.deepStrictEqual(refusal(yield* put(port.id, { security_groups: [id] })), named)
    assert.deepStrictEqual(refusal(yield* put(port.id, pairs)), paired)
    const secured = (yield* call("POST", "/ports", { port: { network_id } })).json.port
    assert.strictEqual(
      (yield* put(secured.id, { port_security_enabled: false })).json.NeutronError.type,
      "PortSecurityPortHasSecurityGroup"
    )
    assert.strictEqual((yield* put(secured.id, { port_security_enabled: false, security_groups: [] })).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a network's MTU fits the overlay and its subnets", () =>
  Effect.gen(function* () {
    const { call, network_id, subnet } = yield* stage
    const make = (mtu: unknown) => call("POST", "/networks", { network: { name: "n", mtu } })
    const put = (mtu: unknown) => call("PUT", `/networks/${network_id}`, { network: { mtu } })
    assert.strictEqual((yield* make(0)).json.network.mtu, 1442)
    assert.strictEqual((yield* make(1300)).json.network.mtu, 1300)
    const big = neutronError(
      400,
      "InvalidInput",
      "Invalid input for operation: Requested MTU is too big, maximum is 1442."
    )
    assert.deepStrictEqual(refusal(yield* make(9000)), big)
    assert.deepStrictEqual(refusal(yield* put(1443)), big)
    assert.deepStrictEqual(
      refusal(yield* put(-1)),
      neutronError(400, "HTTPBadRequest", "Invalid input for mtu. Reason: '-1' should be non-negative.")
    )
    yield* subnet({})
    const small = yield* put(60)
    assert.deepStrictEqual(
      refusal(small),
      neutronError(
        409,
        "NetworkMTUSubnetConflict",
        `MTU of ${network_id} is not valid, subnet requires a minimum of 68`
      )
    )
    assert.strictEqual((yield* put(1000)).json.network.mtu, 1000)
    const six = yield* subnet({ ip_version: 6, cidr: "2001:db8::/64" })
    assert.strictEqual(six.json.NeutronError.type, "NetworkMTUSubnetConflict")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a rule's groups are looked up with any id, and ports are found by part of an address", () =>
  Effect.gen(function* () {
    const { call, network_id, subnet } = yield* stage
    const made = yield* call("POST", "/security-groups", { security_group: { name: "g" } })
    const rule = { security_group_id: made.json.security_group.id, direction: "ingress" }
    const post = (more: object) => call("POST", "/security-group-rules", { security_group_rule: { ...rule, ...more } })
    for (const id of ["bad_remote_group_id", absent]) {
      const missing = neutronError(404, "SecurityGroupNotFound", `Security group ${id} does not exist`)
      assert.deepStrictEqual(refusal(yield* post({ remote_group_id: id })), missing)
      assert.deepStrictEqual(refusal(yield* post({ security_group_id: id })), missing)
    }
    yield* subnet({})
    yield* call("POST", "/ports", { port: { network_id, fixed_ips: [{ ip_address: "10.1.0.77" }] } })
    const found = (part: string) =>
      Effect.map(call("GET", `/ports?fixed_ips=ip_address_substr%3D${part}`), (_) => _.json.ports.length)
    assert.deepStrictEqual([yield* found("0.77"), yield* found("0.78")], [1, 0])
    const { extensions } = (yield* call("GET", "/extensions")).json
    const aliases = extensions.map((_: { readonly alias: string }) => _.alias)
    assert.includeMembers(aliases, ["allowed-address-pairs", "ip-substring-filtering", "net-mtu-writable"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
