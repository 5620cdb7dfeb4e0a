import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { tenantToken } from "./ask.ts"
import { as } from "./neutron.ts"

const stage = Effect.gen(function* () {
  const call = as(yield* tenantToken("acme"))
  const network_id: string = (yield* call("POST", "/networks", { network: { name: "n" } })).json.network.id
  const port = Effect.map(call("POST", "/ports", { port: { network_id } }), (_) => String(_.json.port.id))
  const trunk = (port_id: string, sub_ports: unknown = []) => call("POST", "/trunks", { trunk: { port_id, sub_ports } })
  return { call, network_id, port, trunk }
})

const child = (port_id: string, segmentation_id: unknown = 2, segmentation_type = "vlan") => ({
  port_id,
  segmentation_id,
  segmentation_type
})

it.effect("a trunk takes a list in which every port and every segment is there once", () =>
  Effect.gen(function* () {
    const { call, port, trunk } = yield* stage
    const [parent, a, b] = [yield* port, yield* port, yield* port]
    const wrongLists: ReadonlyArray<readonly [unknown, string]> = [
      [[child(a), child(b)], `Segmentation ID '2' for '${b}' is not unique.`],
      [[child(a), child(a, 3)], `Non unique UUID for subport: '${a}'.`],
      [{ port_id: a }, `Invalid data format for subports: '{'port_id': '${a}'}' is not a list.`],
      [["x"], "Invalid data format for subport: 'x' is not a dict."],
      [[child("x")], "Invalid UUID for subport: 'x'."]
    ]
    const { id } = (yield* trunk(parent)).json.trunk
    const add = (sub_ports: unknown) => call("PUT", `/trunks/${id}/add_subports`, { sub_ports })
    for (const [sub_ports, why] of wrongLists) {
      const made = yield* trunk(parent, sub_ports)
      assert.deepStrictEqual(
        [made.status, made.json.NeutronError.message],
        [400, `Invalid input for sub_ports. Reason: ${why}`]
      )
      const added = yield* add(sub_ports)
      assert.deepStrictEqual(
        [added.status, added.json.NeutronError.message],
        [400, `Invalid input for operation: ${why}`]
      )
    }
    for (const [sub, why] of [
      [child(a, 4095), "Segmentation ID '4095' is not in range"],
      [child(a, "x"), "Invalid subport details: segmentation_id 'x' is not an integer"],
      [child(a, 2, "vxlan"), "Unknown segmentation_type 'vxlan'"]
    ] as const) {
      const refused = yield* trunk(yield* port, [sub])
      assert.deepStrictEqual(refused.json.NeutronError.message, `Invalid input for operation: ${why}.`)
    }
    assert.strictEqual((yield* add([child(a, "2")])).json.sub_ports[0].segmentation_id, 2)
    const twice = yield* add([child(b)])
    assert.deepStrictEqual([twice.status, twice.json.NeutronError.type], [409, "DuplicateSubPort"])
    const remove = (sub_ports: unknown) => call("PUT", `/trunks/${id}/remove_subports`, { sub_ports })
    assert.strictEqual((yield* remove({ port_id: a })).status, 400)
    assert.strictEqual((yield* remove([{ port_id: a }, { port_id: a }])).status, 400)
    assert.deepStrictEqual((yield* remove([child(a)])).json.sub_ports, [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a port names a security group once", () =>
  Effect.gen(function* () {
    const { call, network_id, port } = yield* stage
    const { id } = (yield* call("POST", "/security-groups", { security_group: { name: "g" } })).json.security_group
    const named = { security_groups: [id, id] }
    for (const refused of [
      yield* call("POST", "/ports", { port: { network_id, ...named } }),
      yield* call("PUT", `/ports/${yield* port}`, { port: named })
    ]) {
      const message = `Invalid input for security_groups. Reason: Duplicate items in the list: '${id}'.`
      assert.deepStrictEqual([refused.status, refused.json.NeutronError.message], [400, message])
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the revision of a group grows with its rules, and that of a network with its subnets", () =>
  Effect.gen(function* () {
    const { call, network_id } = yield* stage
    const { id } = (yield* call("POST", "/security-groups", { security_group: { name: "g" } })).json.security_group
    const revision = (path: string, resource: string) =>
      Effect.map(call("GET", path), (_) => Number(_.json[resource].revision_number))
    const ofGroup = revision(`/security-groups/${id}`, "security_group")
    const first = yield* ofGroup
    const rule = { security_group_id: id, direction: "ingress", protocol: "udp" }
    const made = yield* call("POST", "/security-group-rules", { security_group_rule: rule })
    assert.strictEqual(yield* ofGroup, first + 1)
    yield* call("DELETE", `/security-group-rules/${made.json.security_group_rule.id}`)
    assert.strictEqual(yield* ofGroup, first + 2)
    const ofNetwork = revision(`/networks/${network_id}`, "network")
    const subnet = { network_id, ip_version: 4, cidr: "10.1.0.0/24" }
    const path = `/subnets/${(yield* call("POST", "/subnets", { subnet })).json.subnet.id}`
    const before = yield* ofNetwork
    yield* call("PUT", path, { subnet: { name: "x" } })
    assert.strictEqual(yield* ofNetwork, before + 1)
    yield* call("DELETE", path)
    assert.strictEqual(yield* ofNetwork, before + 2)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
