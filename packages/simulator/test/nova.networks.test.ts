import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { admin, nova, small, tenant } from "./nova.ts"

type Tenant = Effect.Success<ReturnType<typeof tenant>>

const network = ({ token }: Tenant, name: string, cidr: string) =>
  Effect.gen(function* () {
    const made = yield* ask("POST", "/network/v2.0/networks", { token, json: { network: { name } } })
    const network_id = String(made.json.network.id)
    yield* ask("POST", "/network/v2.0/subnets", { token, json: { subnet: { network_id, ip_version: 4, cidr } } })
    return network_id
  })

const portsOf = ({ token }: Tenant, device: string) =>
  Effect.map(ask("GET", `/network/v2.0/ports?device_id=${device}`, { token }), (_) => _.json.ports)

it.effect("a server has a port on each of its networks until it is removed", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* network(acme, "inner", "10.0.0.0/24")
    const given = yield* ask("POST", "/network/v2.0/ports", { token: acme.token, json: { port: { network_id: id } } })
    const own: string = given.json.port.id
    const server = yield* acme.server({ networks: [{ uuid: id }, { port: own }] })
    yield* TestClock.adjust(2000)
    const ports = yield* portsOf(acme, server)
    assert.strictEqual(ports.length, 2)
    for (const port of ports) {
      assert.deepInclude(port, { device_owner: "compute:nova", status: "ACTIVE", project_id: acme.projectId })
    }
    const { addresses } = (yield* acme.get(`/servers/${server}`)).json.server
    assert.deepStrictEqual(addresses.inner.map((_: { addr: string }) => _.addr).toSorted(), ["10.0.0.3", "10.0.0.4"])
    assert.strictEqual((yield* acme.post("/servers", { server: { ...small, networks: [{ port: own }] } })).status, 409)
    const remove = ask("DELETE", `/network/v2.0/networks/${id}`, { token: acme.token })
    assert.strictEqual((yield* acme.delete(`/servers/${server}`)).status, 204)
    assert.strictEqual((yield* portsOf(acme, server)).length, 2)
    yield* TestClock.adjust(2000)
    assert.deepStrictEqual(yield* portsOf(acme, server), [])
    // The port that the server was given stays, and holds the network.
    assert.strictEqual((yield* remove).status, 409)
    yield* ask("DELETE", `/network/v2.0/ports/${own}`, { token: acme.token })
    assert.strictEqual((yield* remove).status, 204)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("servers without an address for their ports are refused", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* network(acme, "inner", "10.0.0.0/24")
    yield* ask("PUT", `/network/v2.0/quotas/${acme.projectId}`, {
      token: (yield* admin).token,
      json: { quota: { port: 2, force: true } }
    })
    const boot = acme.post("/servers", { server: { ...small, networks: [{ uuid: id }] } })
    assert.strictEqual((yield* boot).status, 202)
    const refused = yield* boot
    assert.deepStrictEqual(refused.json, { forbidden: { code: 403, message: "Maximum number of ports exceeded" } })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("networks: auto creates a network with an external router when the project has none", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const routers = Effect.map(
      ask("GET", "/network/v2.0/routers", { token: acme.token }),
      (_) => _.json.routers as ReadonlyArray<{ external_gateway_info: { network_id: string } }>
    )
    const wrong = yield* acme.post("/servers", { server: { ...small, networks: "auto", key_name: "none" } })
    assert.strictEqual(wrong.status, 400)
    assert.deepStrictEqual(yield* routers, [])
    const first = yield* acme.server({ networks: "auto" })
    const second = yield* acme.server({ networks: "auto" })
    const made = yield* routers
    assert.deepStrictEqual(
      made.map((_) => _.external_gateway_info.network_id),
      [fixtures.externalNetworkId]
    )
    const [one] = yield* portsOf(acme, first)
    const [other] = yield* portsOf(acme, second)
    assert.strictEqual(one.network_id, other.network_id)
    assert.strictEqual(
      (yield* nova(acme.token, "2.36").post("/servers", { server: { ...small, networks: "auto" } })).status,
      400
    )
    const { world } = yield* SimulatedCloud
    const globex = yield* tenant("globex")
    Object.assign(world.neutron.networks[fixtures.externalNetworkId] ?? {}, { is_default: false })
    assert.strictEqual((yield* globex.post("/servers", { server: { ...small, networks: "auto" } })).status, 400)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("interfaces are attached and detached while the server runs", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const id = yield* network(acme, "inner", "10.0.0.0/24")
    const foreign = yield* network(globex, "theirs", "10.1.0.0/24")
    const server = yield* acme.server()
    const url = `/servers/${server}/os-interface`
    const body = (interfaceAttachment: object) => ({ interfaceAttachment })
    assert.strictEqual((yield* acme.post(url, body({ net_id: id }))).status, 409)
    yield* TestClock.adjust(2000)
    const made = yield* acme.post(url, body({ net_id: id }))
    assert.deepInclude(made.json.interfaceAttachment, { net_id: id, port_state: "ACTIVE" })
    assert.strictEqual((yield* acme.post(url, body({ net_id: foreign }))).status, 404)
    assert.strictEqual((yield* acme.post(url, body({ port_id: made.json.interfaceAttachment.port_id }))).status, 400)
    assert.strictEqual((yield* globex.get(url)).status, 404)
    assert.strictEqual((yield* acme.get(url)).json.interfaceAttachments.length, 1)
    const port = `${url}/${made.json.interfaceAttachment.port_id}`
    assert.strictEqual((yield* acme.delete(port)).status, 202)
    assert.strictEqual((yield* acme.delete(port)).status, 404)
    assert.deepStrictEqual(yield* portsOf(acme, server), [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the project may be in the path if it is the token's own, and links then have it too", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    const base = `http://cloud.simulated/compute`
    const links = (path: string) => Effect.map(acme.get(path), (_) => _.json.servers[0].links)
    assert.deepStrictEqual(yield* links("/servers"), [
      { rel: "self", href: `${base}/v2.1/servers/${id}` },
      { rel: "bookmark", href: `${base}/servers/${id}` }
    ])
    assert.deepStrictEqual(yield* links(`/${acme.projectId}/servers`), [
      { rel: "self", href: `${base}/v2.1/${acme.projectId}/servers/${id}` },
      { rel: "bookmark", href: `${base}/${acme.projectId}/servers/${id}` }
    ])
    const action = `/${acme.projectId}/servers/${id}/action`
    assert.strictEqual((yield* acme.post(action, { lock: null })).status, 202)
    const other = (yield* tenant("globex")).projectId
    const refused = yield* acme.get(`/${other}/servers`)
    assert.strictEqual(refused.status, 400)
    assert.match(refused.json.badRequest.message, /^Malformed request URL/)
    assert.strictEqual((yield* (yield* admin).get(`/${other}/servers?all_tenants=1`)).status, 400)
    assert.strictEqual((yield* acme.get("/ACME/servers")).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("servers have a legacy path too, which creates and changes them alike", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const made = yield* acme.post("/os-volumes_boot", { server: small })
    assert.strictEqual(made.status, 202)
    const url = `/os-volumes_boot/${made.json.server.id}`
    assert.strictEqual((yield* acme.get("/os-volumes_boot/detail")).json.servers.length, 1)
    assert.strictEqual((yield* acme.get("/servers")).json.servers.length, 1)
    yield* TestClock.adjust(2000)
    assert.strictEqual((yield* acme.post(`${url}/action`, { "os-stop": null })).status, 202)
    yield* TestClock.adjust(2000)
    assert.strictEqual((yield* acme.delete(url)).status, 204)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("server groups belong to a project, and administrators see those of all", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const body = { server_group: { name: "spread", policy: "anti-affinity" } }
    const made = yield* acme.post("/os-server-groups", body)
    assert.deepInclude(made.json.server_group, { policy: "anti-affinity", project_id: acme.projectId })
    const url = `/os-server-groups/${made.json.server_group.id}`
    assert.strictEqual((yield* globex.get(url)).status, 404)
    assert.strictEqual((yield* globex.delete(url)).status, 404)
    assert.strictEqual((yield* acme.get("/os-server-groups?all_projects=1")).status, 403)
    const control = yield* admin
    assert.deepStrictEqual((yield* control.get("/os-server-groups")).json.server_groups, [])
    assert.strictEqual((yield* control.get("/os-server-groups?all_projects")).json.server_groups.length, 1)
    const older = yield* nova(acme.token, "2.1").get(url)
    assert.deepStrictEqual(older.json.server_group.policies, ["anti-affinity"])
    assert.notProperty(older.json.server_group, "project_id")
    yield* control.put(`/os-quota-sets/${acme.projectId}`, { quota_set: { server_groups: 1 } })
    assert.strictEqual((yield* acme.post("/os-server-groups", body)).status, 403)
    assert.strictEqual((yield* acme.delete(url)).status, 204)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
