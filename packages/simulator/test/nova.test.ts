import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { admin, nova, small, tenant } from "./nova.ts"

it.effect("a server builds, is active, and is removed", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const created = yield* acme.post("/servers", { server: small })
    assert.strictEqual(created.status, 202)
    assert.hasAllKeys(created.json.server, ["id", "links", "adminPass", "OS-DCF:diskConfig", "security_groups"])
    const path = `/servers/${created.json.server.id}`
    const building = yield* acme.get(path)
    assert.strictEqual(building.json.server.status, "BUILD")
    assert.strictEqual(building.json.server.tenant_id, acme.projectId)
    yield* TestClock.adjust(2000)
    assert.strictEqual((yield* acme.get(path)).json.server.status, "ACTIVE")
    assert.strictEqual((yield* acme.put(path, { server: { name: "www" } })).json.server.name, "www")
    assert.strictEqual((yield* acme.delete(path)).status, 204)
    assert.strictEqual((yield* acme.get(path)).json.server["OS-EXT-STS:task_state"], "deleting")
    assert.strictEqual((yield* acme.delete(path)).status, 204)
    yield* TestClock.adjust(2000)
    const gone = yield* acme.delete(path)
    assert.strictEqual(gone.status, 404)
    assert.deepStrictEqual(gone.json, {
      itemNotFound: { code: 404, message: `Instance ${created.json.server.id} could not be found.` }
    })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an invalid body, or one that names a project, is a 400", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const wrong: ReadonlyArray<object> = [
      { ...small, project_id: fixtures.adminProjectId },
      { ...small, name: "" },
      { ...small, flavorRef: "m1.small" },
      { ...small, imageRef: "0a000000-0000-4000-8000-000000000009" },
      { ...small, networks: "all" },
      { ...small, networks: [{ uuid: "x" }] },
      { ...small, key_name: "none" },
      { name: "web", flavorRef: "2", imageRef: publicImageId },
      { name: "web", flavorRef: "2", networks: "none" }
    ]
    for (const server of wrong) {
      const { json, status } = yield* acme.post("/servers", { server })
      assert.strictEqual(status, 400, JSON.stringify(server))
      assert.strictEqual(json.badRequest.code, 400)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a server's network and groups must be the tenant's own", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const network = (name: string) =>
      Effect.map(ask("POST", "/network/v2.0/networks", { token: acme.token, json: { network: { name } } }), (_) =>
        String(_.json.network.id)
      )
    const boot = (_: typeof acme, networks: unknown, groups = ["default"]) => {
      const security_groups = groups.map((name) => ({ name }))
      return Effect.map(_.post("/servers", { server: { ...small, networks, security_groups } }), (_) => _.status)
    }
    const first = yield* network("first")
    assert.strictEqual(yield* boot(acme, "auto"), 202)
    yield* network("second")
    assert.strictEqual(yield* boot(acme, "auto"), 409)
    assert.strictEqual(yield* boot(acme, [{ uuid: first }]), 202)
    assert.strictEqual(yield* boot(globex, [{ uuid: first }]), 400)
    assert.strictEqual(yield* boot(globex, [{ uuid: "00000000-0000-4000-8000-000000000000" }]), 400)
    assert.strictEqual(yield* boot(acme, [{ uuid: fixtures.externalNetworkId }]), 403)
    assert.strictEqual(yield* boot(acme, "none", ["missing"]), 400)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("another tenant's server does not exist", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const id = yield* acme.server()
    yield* TestClock.adjust(2000)
    const path = `/servers/${id}`
    const answers = [
      yield* globex.get(path),
      yield* globex.put(path, { server: { name: "mine" } }),
      yield* globex.delete(path),
      yield* globex.post(`${path}/action`, { "os-stop": null }),
      yield* globex.get(`${path}/os-volume_attachments`),
      yield* globex.post(`${path}/os-volume_attachments`, { volumeAttachment: { volumeId: id } })
    ]
    for (const { status } of answers) assert.strictEqual(status, 404)
    assert.deepStrictEqual((yield* globex.get("/servers")).json.servers, [])
    assert.deepStrictEqual((yield* globex.get(`/servers/detail?project_id=${acme.projectId}`)).json.servers, [])
    assert.strictEqual((yield* acme.get(path)).json.server.name, "web")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("all_tenants needs an administrator", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const id = yield* acme.server()
    yield* globex.server()
    for (const query of ["all_tenants=1", "all_tenants", "all_tenants=true"]) {
      const refused = yield* acme.get(`/servers/detail?${query}`)
      assert.strictEqual(refused.status, 403)
      assert.deepStrictEqual(refused.json, {
        forbidden: {
          code: 403,
          message: "Policy doesn't allow os_compute_api:servers:detail:get_all_tenants to be performed."
        }
      })
    }
    assert.strictEqual((yield* acme.get("/servers?all_tenants=0")).json.servers.length, 1)
    const control = yield* admin
    assert.deepStrictEqual((yield* control.get(`/servers?project_id=${acme.projectId}`)).json.servers, [])
    assert.strictEqual((yield* control.get("/servers?all_tenants=1")).json.servers.length, 2)
    const one = yield* control.get(`/servers?all_tenants=1&project_id=${acme.projectId}`)
    assert.strictEqual(one.json.servers[0].id, id)
    assert.strictEqual(one.json.servers.length, 1)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a create over quota is a 403 with Nova's message", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const path = `/os-quota-sets/${acme.projectId}`
    yield* (yield* admin).put(path, { quota_set: { cores: 3, ram: 6144, instances: 5 } })
    yield* acme.server({ flavorRef: "3" })
    const refused = yield* acme.post("/servers", { server: { ...small, flavorRef: "3" } })
    assert.strictEqual(refused.status, 403)
    assert.deepStrictEqual(refused.json, {
      forbidden: {
        code: 403,
        message: "Quota exceeded for cores, ram: Requested 2, 4096, but already used 2, 4096 of 3, 6144 cores, ram"
      }
    })
    const last = yield* acme.server()
    assert.strictEqual((yield* acme.post("/servers", { server: small })).status, 403)
    yield* acme.delete(`/servers/${last}`)
    assert.strictEqual((yield* acme.post("/servers", { server: small })).status, 403)
    yield* TestClock.adjust(2000)
    assert.strictEqual((yield* acme.post("/servers", { server: small })).status, 202)
    const { absolute } = (yield* acme.get("/limits")).json.limits
    assert.strictEqual(absolute.totalCoresUsed, 3)
    assert.strictEqual(absolute.maxTotalCores, 3)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a quota set falls below usage only by force, and is written whole or not at all", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    yield* acme.server()
    const control = yield* admin
    const path = `/os-quota-sets/${acme.projectId}`
    const refused = yield* control.put(path, { quota_set: { cores: 8, instances: 0 } })
    assert.deepStrictEqual(refused.json, {
      badRequest: {
        code: 400,
        message: "Quota limit 0 for instances must be greater than or equal to already used and reserved 1."
      }
    })
    assert.strictEqual((yield* control.get(path)).json.quota_set.cores, 20)
    const wrong = [{ floating_ips: 1 }, { cores: "many" }, { cores: -2 }, { cores: 2 ** 31 }, { cores: 1, force: "x" }]
    for (const quota_set of wrong) assert.strictEqual((yield* control.put(path, { quota_set })).status, 400)
    const forced = yield* control.put(path, { quota_set: { cores: "8", instances: 0, force: true } })
    assert.strictEqual(forced.status, 200)
    assert.notProperty(forced.json.quota_set, "id")
    assert.deepStrictEqual((yield* acme.get(path)).json.quota_set, {
      id: acme.projectId,
      instances: 0,
      cores: 8,
      ram: 51200,
      metadata_items: 128,
      key_pairs: 100,
      server_groups: 10,
      server_group_members: 10
    })
    const detail = (yield* acme.get(`${path}/detail`)).json.quota_set
    assert.deepStrictEqual(detail.instances, { in_use: 1, limit: 0, reserved: 0 })
    assert.strictEqual((yield* acme.get(`${path}/defaults`)).json.quota_set.cores, 20)
    const unknown = yield* control.put("/os-quota-sets/nowhere", { quota_set: { cores: 1 } })
    assert.deepStrictEqual(unknown.json, {
      badRequest: { code: 400, message: "Project ID nowhere is not a valid project." }
    })
    assert.strictEqual((yield* control.delete(path)).status, 202)
    assert.strictEqual((yield* control.delete(path)).status, 202)
    assert.strictEqual((yield* control.get(path)).json.quota_set.cores, 20)
    const globex = yield* tenant("globex")
    assert.strictEqual((yield* globex.get(path)).status, 403)
    assert.strictEqual((yield* acme.put(path, { quota_set: { cores: 99 } })).status, 403)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an action needs its state", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    const act = (action: unknown) => acme.post(`/servers/${id}/action`, action)
    assert.strictEqual((yield* act({ "os-stop": null })).status, 409)
    yield* TestClock.adjust(2000)
    const started = yield* act({ "os-start": null })
    assert.deepStrictEqual(started.json, {
      conflictingRequest: { code: 409, message: `Cannot 'start' instance ${id} while it is in vm_state active` }
    })
    const steps: ReadonlyArray<readonly [object, string]> = [
      [{ "os-stop": null }, "SHUTOFF"],
      [{ "os-start": null }, "ACTIVE"],
      [{ reboot: { type: "SOFT" } }, "ACTIVE"],
      [{ pause: null }, "PAUSED"],
      [{ unpause: null }, "ACTIVE"],
      [{ suspend: null }, "SUSPENDED"],
      [{ resume: null }, "ACTIVE"],
      [{ shelve: null }, "SHELVED_OFFLOADED"],
      [{ unshelve: null }, "ACTIVE"],
      [{ resize: { flavorRef: "3" } }, "VERIFY_RESIZE"],
      [{ revertResize: null }, "ACTIVE"]
    ]
    for (const [action, status] of steps) {
      assert.strictEqual((yield* act(action)).status, 202, JSON.stringify(action))
      assert.strictEqual((yield* act(action)).status, 409, JSON.stringify(action))
      yield* TestClock.adjust(2000)
      assert.strictEqual((yield* acme.get(`/servers/${id}`)).json.server.status, status)
    }
    const wrong = [{ dance: null }, {}, { pause: null, unpause: null }, { reboot: { type: "X" } }]
    for (const action of wrong) assert.strictEqual((yield* act(action)).status, 400)
    assert.strictEqual((yield* act({ "os-resetState": { state: "error" } })).status, 403)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a locked server refuses its owner, and an administrator's lock stays", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    yield* TestClock.adjust(2000)
    const path = `/servers/${id}`
    yield* acme.post(`${path}/action`, { lock: null })
    const refused = yield* acme.delete(path)
    assert.deepStrictEqual(refused.json, { conflictingRequest: { code: 409, message: `Instance ${id} is locked` } })
    assert.strictEqual((yield* acme.post(`${path}/action`, { unlock: null })).status, 202)
    yield* (yield* admin).post(`${path}/action`, { lock: null })
    assert.strictEqual((yield* acme.post(`${path}/action`, { unlock: null })).status, 403)
    assert.strictEqual((yield* (yield* admin).delete(path)).status, 204)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a volume is attached and detached a moment later", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const volumeOf = (_: typeof acme) =>
      ask("POST", `/volume/v3/${_.projectId}/volumes`, { token: _.token, json: { volume: { size: 1 } } })
    const statusOf = (id: string) =>
      Effect.map(
        ask("GET", `/volume/v3/${acme.projectId}/volumes/${id}`, { token: acme.token }),
        (_) => _.json.volume.status
      )
    const volume: string = (yield* volumeOf(acme)).json.volume.id
    const foreign: string = (yield* volumeOf(globex)).json.volume.id
    const server = yield* acme.server()
    yield* TestClock.adjust(2000)
    const path = `/servers/${server}/os-volume_attachments`
    assert.strictEqual((yield* acme.post(path, { volumeAttachment: { volumeId: foreign } })).status, 404)
    const attached = yield* acme.post(path, { volumeAttachment: { volumeId: volume } })
    assert.strictEqual(attached.status, 200)
    assert.strictEqual(attached.json.volumeAttachment.device, "/dev/vdb")
    assert.strictEqual((yield* acme.post(path, { volumeAttachment: { volumeId: volume } })).status, 400)
    yield* TestClock.adjust(1000)
    assert.strictEqual(yield* statusOf(volume), "in-use")
    const inUse = yield* ask("DELETE", `/volume/v3/${acme.projectId}/volumes/${volume}`, { token: acme.token })
    assert.strictEqual(inUse.status, 400)
    const [shown] = (yield* acme.get(path)).json.volumeAttachments
    assert.strictEqual(shown.volumeId, volume)
    assert.strictEqual((yield* acme.get(`${path}/${volume}`)).status, 200)
    assert.strictEqual((yield* acme.delete(`${path}/${volume}`)).status, 202)
    assert.strictEqual((yield* acme.delete(`${path}/${volume}`)).status, 400)
    yield* TestClock.adjust(1000)
    assert.strictEqual(yield* statusOf(volume), "available")
    assert.strictEqual((yield* acme.delete(`${path}/${volume}`)).status, 404)
    const newest = nova(acme.token, "2.101")
    assert.strictEqual((yield* newest.post(path, { volumeAttachment: { volumeId: volume } })).status, 202)
    yield* TestClock.adjust(1000)
    yield* acme.delete(`/servers/${server}`)
    assert.strictEqual(yield* statusOf(volume), "in-use")
    yield* TestClock.adjust(2000)
    assert.strictEqual(yield* statusOf(volume), "available")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("keypairs belong to the user", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@home"
    const create = (_: typeof acme, name: string) => _.post("/os-keypairs", { keypair: { name, public_key } })
    assert.strictEqual((yield* create(acme, "laptop")).status, 201)
    assert.strictEqual((yield* create(acme, "laptop")).status, 409)
    assert.strictEqual((yield* create(globex, "laptop")).status, 201)
    yield* globex.delete("/os-keypairs/laptop")
    assert.strictEqual((yield* globex.get("/os-keypairs/laptop")).status, 404)
    assert.strictEqual((yield* globex.delete("/os-keypairs/laptop")).status, 404)
    assert.deepStrictEqual((yield* globex.get("/os-keypairs")).json.keypairs, [])
    assert.strictEqual((yield* globex.get(`/os-keypairs?user_id=${acme.userId}`)).status, 403)
    assert.strictEqual((yield* acme.get("/os-keypairs/laptop")).json.keypair.user_id, acme.userId)
    yield* (yield* admin).put(`/os-quota-sets/${acme.projectId}`, { quota_set: { key_pairs: 1 } })
    const refused = yield* create(acme, "desk")
    assert.deepStrictEqual(refused.json, { forbidden: { code: 403, message: "Quota exceeded, too many key pairs." } })
    const old = yield* nova(globex.token, "2.1").post("/os-keypairs", { keypair: { name: "made" } })
    assert.strictEqual(old.status, 200)
    assert.match(old.json.keypair.private_key, /PRIVATE KEY/)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("servers are paged, newest first, and a full last page links to another", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const ids: Array<string> = []
    for (const name of ["a", "b", "c", "d"]) {
      ids.unshift(yield* acme.server({ name }))
      yield* TestClock.adjust(10)
    }
    const seen: Array<string> = []
    let query = "?limit=2"
    for (const expected of [2, 2, 0]) {
      const { json } = yield* acme.get(`/servers${query}`)
      assert.strictEqual(json.servers.length, expected)
      seen.push(...json.servers.map((_: { id: string }) => _.id))
      query = json.servers_links === undefined ? "" : new URL(json.servers_links[0].href).search
    }
    assert.deepStrictEqual(seen, ids)
    assert.strictEqual(query, "")
    assert.notProperty((yield* acme.get("/servers")).json, "servers_links")
    assert.strictEqual((yield* acme.get("/servers?limit=-1")).status, 400)
    assert.strictEqual((yield* acme.get("/servers?marker=x")).status, 400)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a flavor has extra specs, in its details from microversion 2.61", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const extra_specs = { "hw_rng:allowed": "True" }
    const shown = (version: string) =>
      Effect.map(nova(acme.token, version).get("/flavors/3"), (_) => [
        _.json.flavor.description,
        _.json.flavor.extra_specs,
        _.json.flavor.swap
      ])
    assert.deepStrictEqual(yield* shown("2.54"), [undefined, undefined, ""])
    assert.deepStrictEqual(yield* shown("2.60"), [null, undefined, ""])
    assert.deepStrictEqual(yield* shown("2.61"), [null, extra_specs, ""])
    assert.deepStrictEqual(yield* shown("2.75"), [null, extra_specs, 0])
    const { get } = nova(acme.token, "2.1")
    const specs = "/flavors/3/os-extra_specs"
    assert.deepStrictEqual((yield* get(specs)).json, { extra_specs })
    assert.deepStrictEqual((yield* get(`${specs}/hw_rng:allowed`)).json, extra_specs)
    const absent = yield* get(`${specs}/toString`)
    assert.strictEqual(absent.status, 404)
    assert.strictEqual(absent.json.itemNotFound.message, "Flavor 3 has no extra specs with key toString.")
    assert.strictEqual((yield* get("/flavors/99/os-extra_specs")).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("every service has the single zone of a stock cloud, whose hosts tenants do not see", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const zone = { zoneName: "nova", zoneState: { available: true } }
    const { get } = nova(acme.token, "2.1")
    assert.deepStrictEqual((yield* get("/os-availability-zone")).json, {
      availabilityZoneInfo: [{ ...zone, hosts: null }]
    })
    assert.strictEqual((yield* get("/os-availability-zone/detail")).status, 403)
    const { token } = acme
    const volumes = yield* ask("GET", `/volume/v3/${acme.projectId}/os-availability-zone`, { token })
    assert.deepStrictEqual(volumes.json, { availabilityZoneInfo: [zone] })
    const networks = yield* ask("GET", "/network/v2.0/availability_zones", { token })
    assert.deepStrictEqual(networks.json.availability_zones, [
      { name: "nova", resource: "network", state: "available" },
      { name: "nova", resource: "router", state: "available" }
    ])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a microversion is echoed, and out of range it is a 406", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const versions: ReadonlyArray<readonly [string, number]> = [
      ["2.1", 200],
      ["latest", 200],
      ["2.9999", 406],
      ["3.0", 406],
      ["two", 400]
    ]
    for (const [version, status] of versions) {
      assert.strictEqual((yield* nova(acme.token, version).get("/flavors/detail")).status, status, version)
    }
    const answer = yield* ask("GET", "/compute/v2.1/flavors", { token: acme.token })
    assert.strictEqual(answer.headers["openstack-api-version"], "compute 2.1")
    assert.strictEqual(answer.json.flavors.length, 3)
    const old = yield* nova(acme.token, "2.1").get(`/os-quota-sets/${acme.projectId}`)
    assert.property(old.json.quota_set, "floating_ips")
    assert.strictEqual((yield* ask("GET", "/compute/v2.1/servers")).status, 401)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
