import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask, controlToken, tenantToken } from "./ask.ts"
import { as } from "./neutron.ts"

it.effect("security group rules are normalized, compared as normalized, and refused with their type", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const call = as(acme)
    const group = (yield* call("POST", "/security-groups", { security_group: { name: "web" } })).json.security_group
    assert.strictEqual(group.security_group_rules.length, 2)
    const post = (rule: object) =>
      call("POST", "/security-group-rules", {
        security_group_rule: { security_group_id: group.id, direction: "ingress", ...rule }
      })
    const converted: ReadonlyArray<readonly [object, object]> = [
      [
        { protocol: "TCP", port_range_min: "22", port_range_max: 22, remote_ip_prefix: "198.51.100.7" },
        {
          protocol: "tcp",
          port_range_min: 22,
          port_range_max: 22,
          remote_ip_prefix: "198.51.100.7/32",
          ethertype: "IPv4"
        }
      ],
      [
        { protocol: 17, port_range_min: 1, port_range_max: 65535, ethertype: "ipv4" },
        { protocol: "17", port_range_min: null, port_range_max: null, ethertype: "IPv4" }
      ],
      [
        { protocol: "sctp", remote_ip_prefix: "0.0.0.0/0.0.0.0" },
        { remote_ip_prefix: "0.0.0.0/0", normalized_cidr: "0.0.0.0/0" }
      ],
      [
        { protocol: "dccp", remote_ip_prefix: "203.0.113.7/0" },
        { remote_ip_prefix: "203.0.113.7/0", normalized_cidr: "0.0.0.0/0" }
      ],
      [
        { protocol: "icmp", ethertype: "IPv6", remote_ip_prefix: "2001:DB8:0::1/32" },
        { protocol: "ipv6-icmp", remote_ip_prefix: "2001:db8::1/32", normalized_cidr: "2001:db8::/32" }
      ],
      [{ protocol: 0 }, { protocol: "0" }],
      [
        { protocol: "any", remote_ip_prefix: "" },
        { protocol: null, remote_ip_prefix: null }
      ],
      [
        { protocol: " 06", port_range_min: " 2_2 ", port_range_max: 22.9, remote_ip_prefix: "0/0" },
        { protocol: " 06", port_range_min: 22, port_range_max: 22, remote_ip_prefix: "0.0.0.0/0" }
      ],
      ...["\u0660", "\uff10", "\u00a00", "0_0", "-0", "0.0.0.0"].map((length, i): readonly [object, object] => [
        { protocol: 20 + i, remote_ip_prefix: `0.0.0.0/${length}` },
        { remote_ip_prefix: "0.0.0.0/0", normalized_cidr: "0.0.0.0/0" }
      ]),
      ...["::/::", "::/\uff10"].map((prefix, i): readonly [object, object] => [
        { protocol: 30 + i, ethertype: "IPv6", remote_ip_prefix: prefix },
        { remote_ip_prefix: "::/0", normalized_cidr: "::/0" }
      ]),
      [
        { protocol: 32, ethertype: "IPv6", remote_ip_prefix: "2001:db8::1/ffff::" },
        { remote_ip_prefix: "2001:db8::1/16", normalized_cidr: "2001::/16" }
      ],
      [
        { protocol: "vrrp", remote_ip_prefix: false },
        { protocol: "vrrp", remote_ip_prefix: null }
      ],
      [
        { protocol: "ah", remote_ip_prefix: "10.1/ 0" },
        { remote_ip_prefix: "10.1.0.0/0", normalized_cidr: "0.0.0.0/0" }
      ],
      [{ protocol: "esp", remote_ip_prefix: "10.0.0.0/0.0.0.255" }, { remote_ip_prefix: "10.0.0.0/24" }]
    ]
    for (const [given, kept] of converted) {
      const answer = yield* post(given)
      assert.strictEqual(answer.status, 201, `${JSON.stringify(given)}: ${answer.body}`)
      assert.deepInclude(answer.json.security_group_rule, kept)
    }
    const refused: ReadonlyArray<readonly [object, number, string]> = [
      [{ remote_ip_prefix: "0.0.0.0/0" }, 409, "SecurityGroupRuleExists"],
      [{ protocol: "udp" }, 409, "SecurityGroupRuleExists"],
      [{ port_range_min: 22, port_range_max: 22 }, 400, "SecurityGroupProtocolRequiredWithPorts"],
      [{ protocol: "tcp", port_range_min: 0, port_range_max: 22 }, 400, "SecurityGroupInvalidPortValue"],
      [{ protocol: "tcp", port_range_min: 23, port_range_max: 22 }, 400, "SecurityGroupInvalidPortRange"],
      [{ protocol: "tcp", port_range_min: 22 }, 400, "SecurityGroupInvalidPortRange"],
      [{ protocol: "gre", port_range_min: 22, port_range_max: 22 }, 400, "SecurityGroupInvalidProtocolForPort"],
      [{ protocol: "icmp", port_range_max: 1 }, 400, "SecurityGroupMissingIcmpType"],
      [{ protocol: "tcp", port_range_min: true, port_range_max: 22 }, 400, "SecurityGroupInvalidPortValue"],
      [{ protocol: 256 }, 400, "SecurityGroupRuleInvalidProtocol"],
      [{ protocol: "quic" }, 400, "SecurityGroupRuleInvalidProtocol"],
      [{ ethertype: "IPv5" }, 400, "SecurityGroupRuleInvalidEtherType"],
      [{ remote_ip_prefix: "::/0" }, 400, "SecurityGroupRuleParameterConflict"],
      [{ remote_ip_prefix: "10.0.0.0/33" }, 400, "InvalidCIDR"],
      [{ remote_ip_prefix: "10.0.0.0/8", remote_group_id: group.id }, 400, "SecurityGroupMultipleRemoteEntites"],
      [{ remote_group_id: fixtures.externalNetworkId }, 404, "SecurityGroupNotFound"],
      [{ direction: "sideways" }, 400, "HTTPBadRequest"],
      [{ allow_ssh_from_anywhere: true }, 400, "HTTPBadRequest"]
    ]
    for (const [given, status, type] of refused) {
      const { json, status: answered } = yield* post(given)
      assert.deepStrictEqual([answered, json.NeutronError?.type], [status, type], JSON.stringify(given))
    }
    const all = (yield* call("GET", `/security-group-rules?security_group_id=${group.id}&protocol=17`)).json
    const exists = (yield* post({ protocol: "UDP" })).json.NeutronError.message
    assert.strictEqual(exists, `Security group rule already exists. Rule id is ${all.security_group_rules[0].id}.`)
    const count = Effect.map(
      call("GET", `/security-groups/${group.id}`),
      (_) => _.json.security_group.security_group_rules.length
    )
    const before = yield* count
    const rule = { security_group_id: group.id, direction: "egress" }
    const bulk = yield* call("POST", "/security-group-rules", {
      security_group_rules: [
        { ...rule, protocol: "tcp" },
        { ...rule, protocol: "6" }
      ]
    })
    assert.deepStrictEqual([bulk.status, bulk.json.NeutronError.type], [409, "DuplicateSecurityGroupRuleInPost"])
    assert.strictEqual(yield* count, before)
    const two = yield* call("POST", "/security-group-rules", {
      security_group_rules: [
        { ...rule, protocol: "tcp" },
        { ...rule, protocol: "udp" }
      ]
    })
    assert.deepStrictEqual([two.status, two.json.security_group_rules.length], [201, 2])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the default group is created on first use, and removed by an administrator alone", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const token = yield* controlToken
    const admin = as({ token })
    const groups = () =>
      Effect.map(admin("GET", `/security-groups?project_id=${acme.projectId}`), (_) => _.json.security_groups)
    yield* as(acme)("POST", "/networks", { network: {} })
    const { world } = yield* SimulatedCloud
    assert.strictEqual(Object.keys(world.neutron.security_groups).length, 1)
    const [group] = yield* groups()
    assert.deepInclude(group, { name: "default", project_id: acme.projectId })
    assert.strictEqual(group.security_group_rules.length, 4)
    const url = `/security-groups/${group.id}`
    const table: ReadonlyArray<readonly [string, string, unknown, string]> = [
      ["DELETE", url, undefined, "SecurityGroupCannotRemoveDefault"],
      ["PUT", url, { security_group: { name: "other" } }, "SecurityGroupCannotUpdateDefault"],
      ["POST", "/security-groups", { security_group: { name: "default" } }, "SecurityGroupDefaultAlreadyExists"]
    ]
    for (const [method, path, body, type] of table) {
      const answer = yield* as(acme)(method, path, body)
      assert.deepStrictEqual([answer.status, answer.json.NeutronError.type], [409, type])
    }
    assert.strictEqual((yield* admin("DELETE", url)).status, 204)
    yield* ask("DELETE", `/identity/v3/projects/${acme.projectId}`, { token })
    assert.strictEqual((yield* groups()).length, 1)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a rule with an address group counts as open to the world, at any content of the group", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenantToken("acme"), yield* tenantToken("globex")]
    const call = as(acme)
    const make = (addresses: unknown) =>
      call("POST", "/address-groups", { address_group: { name: "office", addresses } })
    for (const wrong of ["x", ["x"], ["10.0.0.0/33"], ["198.51.100.7"], ["10.1/16"], ["10.1.0.0/16", "10.1.0.0/16"]]) {
      const refused = yield* make(wrong)
      assert.deepStrictEqual([refused.status, refused.json.NeutronError.type], [400, "HTTPBadRequest"], `${wrong}`)
    }
    const created = yield* make(["198.51.100.7/32"])
    assert.strictEqual(created.status, 201)
    const url = `/address-groups/${created.json.address_group.id}`
    const grown = yield* call("PUT", `${url}/add_addresses`, { addresses: ["10.1/16", "10.1.0.0/16"] })
    assert.deepStrictEqual(grown.json.address_group.addresses, ["198.51.100.7/32", "10.1.0.0/16"])
    const group = (yield* call("POST", "/security-groups", { security_group: { name: "web" } })).json.security_group
    const rule = (tenant: typeof acme, more: object = {}) =>
      as(tenant)("POST", "/security-group-rules", {
        security_group_rule: {
          security_group_id: group.id,
          direction: "ingress",
          remote_address_group_id: created.json.address_group.id,
          ...more
        }
      })
    const made = yield* rule(acme)
    assert.strictEqual(made.json.security_group_rule.remote_address_group_id, created.json.address_group.id)
    const table: ReadonlyArray<readonly [typeof acme, string, string, unknown, number, string]> = [
      [acme, "PUT", `${url}/add_addresses`, { addresses: ["203.0.113.7/0"] }, 200, ""],
      [acme, "PUT", `${url}/add_addresses`, { addresses: ["0.0.0.0/0"] }, 400, "AddressesAlreadyExist"],
      [acme, "PUT", `${url}/add_addresses`, { addresses: ["office"] }, 400, "AddrFormatError"],
      [acme, "PUT", `${url}/remove_addresses`, { addresses: ["10.9.0.0/16"] }, 404, "AddressesNotFound"],
      [acme, "PUT", `${url}/remove_addresses`, { addresses: ["10.1.0.0/16"] }, 200, ""],
      [acme, "PUT", url, { address_group: { addresses: [] } }, 400, "HTTPBadRequest"],
      [acme, "DELETE", url, undefined, 409, "AddressGroupInUse"],
      [globex, "PUT", `${url}/add_addresses`, { addresses: ["10.9.0.0/16"] }, 404, "AddressGroupNotFound"],
      [globex, "DELETE", url, undefined, 404, "AddressGroupNotFound"]
    ]
    for (const [tenant, method, path, json, status, type] of table) {
      const answer = yield* as(tenant)(method, path, json)
      assert.deepStrictEqual([answer.status, answer.json.NeutronError?.type ?? ""], [status, type], `${method} ${path}`)
    }
    assert.deepStrictEqual((yield* call("GET", url)).json.address_group.addresses, ["198.51.100.7/32", "0.0.0.0/0"])
    assert.strictEqual((yield* rule(acme)).json.NeutronError.type, "SecurityGroupRuleExists")
    const both = yield* rule(acme, { remote_group_id: group.id })
    assert.strictEqual(both.json.NeutronError.type, "SecurityGroupMultipleRemoteEntites")
    const unknown = yield* rule(acme, { remote_address_group_id: group.id })
    assert.deepStrictEqual([unknown.status, unknown.json.NeutronError.type], [404, "AddressGroupNotFound"])
    assert.strictEqual((yield* call("DELETE", `/security-group-rules/${made.json.security_group_rule.id}`)).status, 204)
    assert.strictEqual((yield* call("DELETE", url)).status, 204)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the default rules of new groups are readable by all, and written by administrators", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const admin = as({ token: yield* controlToken })
    const url = "/default-security-group-rules"
    const ssh = { direction: "ingress", protocol: "tcp", port_range_min: 22, port_range_max: 22 }
    const body = { default_security_group_rule: ssh }
    assert.strictEqual((yield* as(acme)("GET", url)).json.default_security_group_rules.length, 4)
    const refused = yield* as(acme)("POST", url, body)
    assert.deepStrictEqual([refused.status, refused.json.NeutronError.type], [403, "PolicyNotAuthorized"])
    const made = yield* admin("POST", url, body)
    assert.strictEqual(made.status, 201)
    const { id } = made.json.default_security_group_rule
    assert.strictEqual((yield* admin("POST", url, body)).status, 409)
    const create = as(acme)("POST", "/security-groups", { security_group: { name: "web" } })
    const rules = (yield* create).json.security_group.security_group_rules
    assert.deepInclude(
      rules.find((_: { direction: string }) => _.direction === "ingress"),
      { protocol: "tcp", port_range_min: 22, remote_ip_prefix: null, remote_group_id: null }
    )
    assert.notStrictEqual((yield* as(acme)("DELETE", `${url}/${id}`)).status, 204)
    assert.strictEqual((yield* admin("DELETE", `${url}/${id}`)).status, 204)
    assert.strictEqual((yield* create).json.security_group.security_group_rules.length, 2)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
