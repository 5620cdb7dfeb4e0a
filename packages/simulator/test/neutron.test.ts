import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask, controlToken, tenantToken } from "./ask.ts"
import { as, furnish, singular, v2 } from "./neutron.ts"

it.effect("a project's network is built and removed in its only valid order", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const { projectId: project_id, token: member } = yield* tenantToken("acme")
    const token = yield* controlToken
    const call = (method: string, path: string, json?: unknown) => ask(method, `${v2}${path}`, { token, json })
    const before = yield* cloud.state
    const network = (yield* call("POST", "/networks", { network: { name: "t-net", project_id } })).json.network
    const subnet = (yield* call("POST", "/subnets", {
      subnet: { network_id: network.id, project_id, ip_version: 4, cidr: "10.0.0.0/24" }
    })).json.subnet
    const router = (yield* call("POST", "/routers", {
      router: { project_id, external_gateway_info: { network_id: fixtures.externalNetworkId, enable_snat: true } }
    })).json.router
    assert.strictEqual(subnet.gateway_ip, "10.0.0.1")
    assert.deepStrictEqual(router.external_gateway_info.external_fixed_ips, [
      { subnet_id: fixtures.externalSubnetId, ip_address: "203.0.113.2" }
    ])
    const plug = `/routers/${router.id}/add_router_interface`
    const unplug = `/routers/${router.id}/remove_router_interface`
    assert.strictEqual((yield* call("PUT", plug, { subnet_id: subnet.id })).status, 200)
    const twice = yield* call("PUT", plug, { subnet_id: subnet.id })
    assert.deepStrictEqual(
      [twice.status, twice.json.NeutronError.message],
      [400, `Bad router request: Router already has a port on subnet ${subnet.id}.`]
    )
    const port = (yield* ask("POST", `${v2}/ports`, { token: member, json: { port: { network_id: network.id } } })).json
      .port
    assert.strictEqual(port.fixed_ips[0].ip_address, "10.0.0.3")
    const floating = (yield* ask("POST", `${v2}/floatingips`, {
      token: member,
      json: { floatingip: { floating_network_id: fixtures.externalNetworkId, port_id: port.id } }
    })).json.floatingip
    assert.deepInclude(floating, { status: "ACTIVE", router_id: router.id, fixed_ip_address: "10.0.0.3" })
    const gatewayPort = (yield* call("GET", `/ports?device_owner=network:router_gateway&device_id=${router.id}`)).json
      .ports[0]
    const group = (yield* call("GET", `/security-groups?project_id=${project_id}`)).json.security_groups[0]

    const refused: ReadonlyArray<readonly [string, string, unknown, number, string]> = [
      ["DELETE", `/networks/${network.id}`, undefined, 409, "NetworkInUse"],
      ["DELETE", `/subnets/${subnet.id}`, undefined, 409, "SubnetInUse"],
      ["DELETE", `/routers/${router.id}`, undefined, 409, "RouterInUse"],
      ["DELETE", `/ports/${gatewayPort.id}`, undefined, 409, "ServicePortInUse"],
      ["DELETE", `/security-groups/${group.id}`, undefined, 409, "SecurityGroupInUse"],
      ["PUT", unplug, { subnet_id: subnet.id }, 409, "RouterInterfaceInUseByFloatingIP"],
      [
        "PUT",
        `/routers/${router.id}`,
        { router: { external_gateway_info: null } },
        409,
        "RouterExternalGatewayInUseByFloatingIp"
      ]
    ]
    for (const [method, path, body, status, type] of refused) {
      const answer = yield* call(method, path, body)
      assert.deepStrictEqual([answer.status, answer.json.NeutronError.type], [status, type], path)
    }

    const purge: ReadonlyArray<readonly [string, string, unknown, number, number]> = [
      ["DELETE", `/floatingips/${floating.id}`, undefined, 204, 404],
      ["PUT", unplug, { subnet_id: subnet.id }, 200, 404],
      ["PUT", `/routers/${router.id}`, { router: { external_gateway_info: {} } }, 200, 200],
      ["DELETE", `/routers/${router.id}`, undefined, 204, 404],
      ["DELETE", `/ports/${port.id}`, undefined, 204, 404],
      ["DELETE", `/networks/${network.id}`, undefined, 204, 404],
      ["DELETE", `/security-groups/${group.id}`, undefined, 204, 404]
    ]
    for (const [method, path, body, once, again] of purge) {
      assert.deepStrictEqual(
        [(yield* call(method, path, body)).status, (yield* call(method, path, body)).status],
        [once, again],
        path
      )
    }
    assert.deepStrictEqual(yield* cloud.state, before)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("another project's resources are hidden and cannot be changed, despite forged headers", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const globex = yield* tenantToken("globex")
    const things = yield* furnish(acme)
    const call = (method: string, path: string, json?: unknown) =>
      ask(method, `${v2}${path}`, {
        token: globex.token,
        json,
        headers: { "x-project-id": acme.projectId, "x-roles": "admin", "x-tenant-id": acme.projectId }
      })
    for (const [collection, id] of Object.entries(things)) {
      const listed = yield* call("GET", `/${collection}`)
      const found: ReadonlyArray<{ project_id: string }> = listed.json[collection.replaceAll("-", "_")]
      assert.isFalse(
        found.some((_) => _.project_id === acme.projectId),
        collection
      )
      // Of rules the policy says so, of everything else the database, as of what never was.
      const shown = yield* call("GET", `/${collection}/${id}`)
      const never = yield* call("GET", `/${collection}/${fixtures.externalSubnetId.replaceAll("e", "f")}`)
      const hidden = { NeutronError: { type: "HTTPNotFound", message: "The resource could not be found.", detail: "" } }
      const absent = JSON.parse(never.body.replace(fixtures.externalSubnetId.replaceAll("e", "f"), id))
      assert.deepStrictEqual([shown.status, shown.json], [404, collection === "security-group-rules" ? hidden : absent])
      const attempts: ReadonlyArray<readonly [string, string, unknown]> = [
        ["DELETE", `/${collection}/${id}`, undefined],
        ["PUT", `/${collection}/${id}/tags`, { tags: ["mine"] }],
        ...(collection === "security-group-rules"
          ? []
          : [["PUT", `/${collection}/${id}`, { [singular(collection)]: { description: "mine" } }] as const])
      ]
      for (const [method, path, body] of attempts) {
        const answer = yield* call(method, path, body)
        assert.deepStrictEqual([answer.status, answer.json], [404, shown.json], path)
      }
      const own = yield* as(acme)("GET", `/${collection}/${id}`)
      assert.deepStrictEqual([own.status, own.json[singular(collection)].description], [200, ""], collection)
    }
    const network_id = things.networks
    const referring: ReadonlyArray<readonly [string, unknown, number]> = [
      ["/subnets", { subnet: { network_id, ip_version: 4, cidr: "10.1.0.0/24" } }, 404],
      ["/ports", { port: { network_id } }, 404],
      ["/ports", { port: { network_id: fixtures.externalNetworkId } }, 403],
      ["/routers", { router: { external_gateway_info: { network_id } } }, 404],
      ["/networks", { network: { project_id: acme.projectId } }, 400],
      [
        "/security-group-rules",
        { security_group_rule: { security_group_id: things["security-groups"], direction: "ingress" } },
        404
      ],
      ["/floatingips", { floatingip: { floating_network_id: fixtures.externalNetworkId, port_id: things.ports } }, 404]
    ]
    for (const [path, body, status] of referring) {
      assert.strictEqual((yield* call("POST", path, body)).status, status, `${path} ${JSON.stringify(body)}`)
    }
    const plug = yield* call("PUT", `/routers/${things.routers}/add_router_interface`, { subnet_id: things.subnets })
    assert.strictEqual(plug.status, 404)
    const external = yield* call("GET", "/networks?router:external=true&is_default=True")
    assert.deepStrictEqual(
      external.json.networks.map((_: { id: string }) => _.id),
      [fixtures.externalNetworkId]
    )
    const taken = yield* call("PUT", `/networks/${fixtures.externalNetworkId}`, { network: { name: "mine" } })
    assert.strictEqual(taken.status, 403)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("quotas: read by their owner, written by administrators, and not below usage unless forced", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const admin = as({ token: yield* controlToken })
    const url = `/quotas/${acme.projectId}`
    assert.strictEqual((yield* admin("GET", "/extensions/quota-check-limit-default")).status, 200)
    assert.strictEqual((yield* admin("GET", "/extensions/none")).status, 404)
    yield* as(acme)("POST", "/networks", { networks: [{ name: "a" }, { name: "b" }] })
    const table: ReadonlyArray<readonly [unknown, number, string | undefined]> = [
      [{ quota: { network: 1 } }, 400, "Quota limit 1 for network must be greater than or equal to already used 2"],
      [{ quota: { network: 1, force: "True" } }, 400, undefined],
      [{ quota: { network: 1, check_limit: true } }, 400, undefined],
      [{ quota: { networks: 3 } }, 400, "Unrecognized attribute(s) 'networks'"],
      [{ quota: { router: 0, network: "x" } }, 400, undefined],
      [{ quota: { network: -2 } }, 400, undefined],
      [{ quotas: {} }, 400, undefined],
      [{ quota: { network: 1, force: true } }, 200, undefined],
      [{ quota: { network: "2", router: -1 } }, 200, undefined]
    ]
    for (const [body, status, message] of table) {
      const answer = yield* admin("PUT", url, body)
      assert.strictEqual(answer.status, status, JSON.stringify(body))
      if (message !== undefined) assert.strictEqual(answer.json.NeutronError.message, message)
    }
    const limits = (yield* as(acme)("GET", url)).json.quota
    assert.deepStrictEqual(limits, {
      network: 2,
      subnet: 100,
      subnetpool: -1,
      port: 500,
      router: -1,
      floatingip: 50,
      rbac_policy: 10,
      security_group: 10,
      security_group_rule: 100
    })
    const details = (yield* as(acme)("GET", `${url}/details.json`)).json.quota
    assert.deepStrictEqual(details.network, { used: 2, limit: 2, reserved: 0 })
    assert.deepStrictEqual(details.security_group_rule, { used: 4, limit: 100, reserved: 0 })
    assert.strictEqual((yield* admin("GET", `${url}/default`)).json.quota.network, 100)
    const over = yield* as(acme)("POST", "/networks", { network: { name: "c" } })
    assert.deepStrictEqual(
      [over.status, over.json],
      [409, { NeutronError: { type: "OverQuota", message: "Quota exceeded for resources: ['network'].", detail: "" } }]
    )
    const charged = yield* admin("POST", "/networks", { network: { project_id: acme.projectId } })
    assert.strictEqual(charged.json.NeutronError.type, "OverQuota")
    const globex = yield* tenantToken("globex")
    assert.strictEqual((yield* as(globex)("GET", url)).json.NeutronError.type, "PolicyNotAuthorized")
    assert.strictEqual((yield* as(acme)("PUT", url, { quota: { network: 9 } })).status, 403)
    assert.strictEqual((yield* as(acme)("DELETE", url)).status, 403)
    assert.strictEqual((yield* admin("DELETE", url)).status, 204)
    assert.strictEqual((yield* admin("DELETE", url)).status, 404)
    assert.strictEqual((yield* admin("GET", url)).json.quota.network, 100)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("every limited kind refuses one above its limit", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const admin = as({ token: yield* controlToken })
    const things = yield* furnish(acme)
    const zero = { network: 0, subnet: 0, port: 0, router: 0, floatingip: 0, security_group: 0, security_group_rule: 0 }
    yield* admin("PUT", `/quotas/${acme.projectId}`, { quota: { ...zero, force: true } })
    const network_id = things.networks
    const rule = { security_group_id: things["security-groups"], direction: "egress", protocol: "udp" }
    const bodies: Readonly<Record<string, unknown>> = {
      networks: { name: "x" },
      subnets: { network_id, ip_version: 4, cidr: "10.9.0.0/24" },
      ports: { network_id },
      routers: {},
      floatingips: { floating_network_id: fixtures.externalNetworkId },
      "security-groups": { name: "x" },
      "security-group-rules": rule
    }
    for (const [collection, body] of Object.entries(bodies)) {
      const answer = yield* as(acme)("POST", `/${collection}`, { [singular(collection)]: body })
      const message = `Quota exceeded for resources: ['${singular(collection)}'].`
      assert.deepStrictEqual([answer.status, answer.json.NeutronError?.message], [409, message], collection)
    }
    // The interface's port is the service's own and is not asked for.
    const plug = `/routers/${things.routers}/add_router_interface`
    assert.strictEqual((yield* as(acme)("PUT", plug, { subnet_id: things.subnets })).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a member may give a router a gateway but not set its SNAT", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const admin = as({ token: yield* controlToken })
    const network_id = fixtures.externalNetworkId
    const refused = yield* as(acme)("POST", "/routers", {
      routers: [{ external_gateway_info: { network_id, enable_snat: true } }]
    })
    assert.deepStrictEqual([refused.status, refused.json.NeutronError.type], [403, "PolicyNotAuthorized"])
    const router = (yield* as(acme)("POST", "/routers", { router: { external_gateway_info: { network_id } } })).json
      .router
    const url = `/routers/${router.id}`
    for (const part of [{ enable_snat: true }, { external_fixed_ips: [] }]) {
      const answer = yield* as(acme)("PUT", url, { router: { external_gateway_info: { network_id, ...part } } })
      assert.strictEqual(answer.status, 403)
    }
    const off = yield* admin("PUT", url, { router: { external_gateway_info: { network_id, enable_snat: false } } })
    assert.deepStrictEqual(off.json.router.external_gateway_info, {
      ...router.external_gateway_info,
      enable_snat: false
    })
    const again = yield* as(acme)("PUT", url, { router: { external_gateway_info: { network_id } } })
    assert.deepStrictEqual(again.json.router.external_gateway_info, router.external_gateway_info)
    const stale = yield* ask("PUT", `${v2}${url}`, {
      token: acme.token,
      json: { router: { name: "x" } },
      headers: { "if-match": "revision_number=1" }
    })
    assert.deepStrictEqual([stale.status, stale.json.NeutronError.type], [412, "RevisionNumberConstraintFailed"])
    const inner = (yield* as(acme)("POST", "/networks", { network: {} })).json.network.id
    const inward = yield* as(acme)("PUT", url, { router: { external_gateway_info: { network_id: inner } } })
    assert.deepStrictEqual([inward.status, inward.json.NeutronError.type], [400, "BadRequest"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("invalid creates are refused with code and type", () =>
  Effect.gen(function* () {
    const acme = yield* tenantToken("acme")
    const call = as(acme)
    const { networks: network_id, routers: router, subnets: subnet_id } = yield* furnish(acme)
    const closed = (yield* call("POST", "/subnets", {
      subnet: { network_id, ip_version: 4, cidr: "10.2.0.0/24", gateway_ip: null, enable_dhcp: false }
    })).json.subnet
    assert.deepStrictEqual(closed.allocation_pools, [{ start: "10.2.0.1", end: "10.2.0.254" }])
    const other = (yield* call("POST", "/networks", { network: {} })).json.network.id
    const same = (yield* call("POST", "/subnets", {
      subnet: { network_id: other, ip_version: "4", cidr: "10.0.0.0/16" }
    })).json.subnet
    const outside = fixtures.externalNetworkId
    const add = `/routers/${router}/add_router_interface`
    assert.strictEqual((yield* call("PUT", add, { subnet_id })).status, 200)
    const subnet = { network_id, ip_version: 4 }
    const table: ReadonlyArray<readonly [string, string, unknown, number, string]> = [
      ["POST", "/networks", { network: { colour: "red" } }, 400, "HTTPBadRequest"],
      ["POST", "/networks", { net: {} }, 400, "HTTPBadRequest"],
      ["POST", "/networks", undefined, 400, "HTTPBadRequest"],
      ["POST", "/networks", { network: { id: network_id } }, 400, "HTTPBadRequest"],
      ["POST", "/networks", { network: { admin_state_up: "maybe" } }, 400, "InvalidInput"],
      ["POST", "/networks", { network: { shared: true } }, 403, "PolicyNotAuthorized"],
      ["POST", "/networks", { network: { "router:external": true } }, 403, "PolicyNotAuthorized"],
      ["PUT", `/networks/${network_id}`, { network: { status: "DOWN" } }, 400, "HTTPBadRequest"],
      ["PUT", `/networks/${network_id}`, { network: { shared: true } }, 403, "PolicyNotAuthorized"],
      ["POST", "/subnets", { subnet: { ...subnet, cidr: "10.0.0.128/25" } }, 400, "InvalidInput"],
      ["POST", "/subnets", { subnet: { ...subnet, cidr: "2001:db8::/64" } }, 400, "InvalidInput"],
      ["POST", "/subnets", { subnet: { ...subnet, cidr: "10.3.0.0" } }, 400, "InvalidInput"],
      ["POST", "/subnets", { subnet: { cidr: "10.3.0.0/24" } }, 400, "HTTPBadRequest"],
      ["POST", "/subnets", { subnet: { ...subnet, cidr: "10.3.0.0/24", gateway_ip: "10.4.0.1" } }, 400, "InvalidInput"],
      ["PUT", add, { subnet_id }, 400, "BadRequest"],
      ["PUT", add, {}, 400, "BadRequest"],
      ["PUT", add, { subnet_id: closed.id }, 400, "BadRequest"],
      ["PUT", add, { subnet_id: same.id }, 400, "BadRequest"],
      ["PUT", add, { subnet_id: outside }, 404, "SubnetNotFound"],
      ["PUT", `/routers/${outside}/add_router_interface`, { subnet_id }, 404, "RouterNotFound"],
      [
        "PUT",
        `/routers/${router}/remove_router_interface`,
        { subnet_id: same.id },
        404,
        "RouterInterfaceNotFoundForSubnet"
      ],
      [
        "POST",
        "/ports",
        { port: { network_id, fixed_ips: [{ ip_address: "10.0.0.1" }] } },
        409,
        "IpAddressAlreadyAllocated"
      ],
      [
        "POST",
        "/ports",
        { port: { network_id, fixed_ips: [{ ip_address: "172.16.0.1" }] } },
        400,
        "InvalidIpForNetwork"
      ],
      ["POST", "/ports", { port: { network_id, "binding:host_id": "compute-1" } }, 403, "PolicyNotAuthorized"],
      ["POST", "/floatingips", { floatingip: { floating_network_id: network_id } }, 400, "BadRequest"],
      [
        "POST",
        "/floatingips",
        { floatingip: { floating_network_id: outside, floating_ip_address: "203.0.113.9" } },
        403,
        "PolicyNotAuthorized"
      ]
    ]
    for (const [method, path, body, status, type] of table) {
      const answer = yield* call(method, path, body)
      assert.deepStrictEqual(
        [answer.status, answer.json.NeutronError?.type],
        [status, type],
        `${method} ${path} ${JSON.stringify(body)}`
      )
    }
    const { world } = yield* SimulatedCloud
    const before = structuredClone(world.neutron)
    const half = yield* call("POST", "/subnets", {
      subnets: ["10.5.0.0/24", "10.5.0.0/25"].map((cidr) => ({ ...subnet, cidr }))
    })
    assert.strictEqual(half.status, 400)
    assert.deepStrictEqual(world.neutron, before)
    const port = (yield* call("POST", "/ports", { port: { network_id: other } })).json.port
    const unreachable = yield* call("POST", "/floatingips", {
      floatingip: { floating_network_id: outside, port_id: port.id }
    })
    assert.strictEqual(unreachable.json.NeutronError.type, "ExternalGatewayForFloatingIPNotFound")
    const reachable = (yield* call("GET", `/ports?network_id=${network_id}&status=DOWN`)).json.ports[0].id
    const claim = { floatingip: { floating_network_id: outside, port_id: reachable } }
    assert.strictEqual((yield* call("POST", "/floatingips", claim)).status, 201)
    const twice = yield* call("POST", "/floatingips", claim)
    assert.deepStrictEqual([twice.status, twice.json.NeutronError.type], [409, "FloatingIPPortAlreadyAssociated"])
    assert.strictEqual((yield* call("DELETE", `/ports/${reachable}`)).status, 204)
    const freed = (yield* call("GET", "/floatingips?status=DOWN")).json.floatingips
    assert.deepStrictEqual(
      freed.map((_: { port_id: null; router_id: null }) => [_.port_id, _.router_id]),
      [
        [null, null],
        [null, null]
      ]
    )
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the addresses of the external network run out", () =>
  Effect.gen(function* () {
    const admin = as({ token: yield* controlToken })
    const floatingip = { floating_network_id: fixtures.externalNetworkId }
    yield* admin("PUT", `/quotas/${fixtures.adminProjectId}`, { quota: { floatingip: -1 } })
    const all = Array.from({ length: 253 }, () => floatingip)
    assert.strictEqual((yield* admin("POST", "/floatingips", { floatingips: all })).status, 201)
    const over = yield* admin("POST", "/floatingips", { floatingip })
    assert.deepStrictEqual([over.status, over.json.NeutronError.type], [409, "IpAddressGenerationFailure"])
    const router = yield* admin("POST", "/routers", {
      router: { external_gateway_info: { network_id: fixtures.externalNetworkId } }
    })
    assert.strictEqual(router.status, 409)
    assert.deepStrictEqual((yield* admin("GET", "/routers")).json.routers, [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
