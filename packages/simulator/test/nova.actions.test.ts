import { assert, it } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { admin, nova, tenant } from "./nova.ts"

it.effect("every action has its own status code, and some are for administrators", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    yield* TestClock.adjust(2000)
    const control = yield* admin
    const table: ReadonlyArray<readonly [object, number, number]> = [
      [{ createImage: { name: "copy" } }, 202, 0],
      [{ createImage: {} }, 400, 0],
      [{ createBackup: { name: "nightly", backup_type: "daily", rotation: 1 } }, 202, 0],
      [{ rebuild: { imageRef: publicImageId } }, 202, 2000],
      [{ rebuild: { imageRef: "none" } }, 400, 0],
      [{ changePassword: { adminPass: "x" } }, 202, 0],
      [{ "os-getConsoleOutput": {} }, 200, 0],
      [{ trigger_crash_dump: null }, 202, 0],
      [{ restore: null }, 409, 0],
      [{ rescue: null }, 200, 2000],
      [{ unrescue: null }, 202, 2000],
      [{ resize: { flavorRef: "3" } }, 202, 2000],
      [{ confirmResize: null }, 204, 0],
      [{ shelveOffload: null }, 403, 0],
      [{ migrate: null }, 403, 0],
      [{ "os-migrateLive": {} }, 403, 0],
      [{ evacuate: {} }, 403, 0],
      [{ injectNetworkInfo: null }, 403, 0],
      [{ addFloatingIp: { address: "203.0.113.2" } }, 404, 0],
      [{ addFixedIp: { networkId: id } }, 404, 0],
      [{ "os-getVNCConsole": { type: "novnc" } }, 404, 0]
    ]
    for (const [action, status, millis] of table) {
      const answer = yield* acme.post(`/servers/${id}/action`, action)
      assert.strictEqual(answer.status, status, `${JSON.stringify(action)}: ${answer.body}`)
      yield* TestClock.adjust(millis)
    }
    const evacuated = yield* control.post(`/servers/${id}/action`, { evacuate: {} })
    assert.strictEqual(evacuated.status, 200)
    const done = (yield* acme.get(`/servers/${id}/os-instance-actions`)).json.instanceActions
    assert.deepStrictEqual(
      done.slice(0, 2).map((_: { action: string }) => _.action),
      ["evacuate", "confirmResize"]
    )
    assert.strictEqual(done.at(-1).action, "create")
    assert.match(done.at(-1).start_time, /^[-\d]+T[:\d]+\.\d{6}$/)
    assert.strictEqual((yield* (yield* tenant("globex")).get(`/servers/${id}/os-instance-actions`)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an image of a server belongs to its project, with its id in a header or later the body", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    yield* TestClock.adjust(2000)
    const action = { createImage: { name: "copy", metadata: { purpose: "test" } } }
    const newer = yield* acme.post(`/servers/${id}/action`, action)
    const image = yield* ask("GET", `/image/v2/images/${newer.json.image_id}`, { token: acme.token })
    assert.deepInclude(image.json, { name: "copy", owner: acme.projectId, purpose: "test", instance_uuid: id })
    const older = yield* nova(acme.token, "2.44").post(`/servers/${id}/action`, action)
    assert.match(older.headers["location"] ?? "", /\/image\/v2\/images\/[0-9a-f-]{36}$/)
    const backup = { createBackup: { name: "b", backup_type: "daily", rotation: 2 } }
    for (let i = 0; i < 3; i++) yield* acme.post(`/servers/${id}/action`, backup)
    const backups = yield* ask("GET", "/image/v2/images?image_type=backup", { token: acme.token })
    assert.strictEqual(backups.json.images.length, 2)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a shelved server is an image until it is unshelved", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    yield* TestClock.adjust(2000)
    const shelved = Effect.map(
      ask("GET", "/image/v2/images?name=web-shelved", { token: acme.token }),
      (_) => _.json.images.length
    )
    assert.strictEqual((yield* acme.post(`/servers/${id}/action`, { shelve: null })).status, 202)
    assert.strictEqual(yield* shelved, 1)
    yield* TestClock.adjust(2000)
    assert.strictEqual((yield* acme.post(`/servers/${id}/action`, { shelve: null })).status, 409)
    assert.strictEqual(yield* shelved, 1)
    assert.strictEqual((yield* acme.post(`/servers/${id}/action`, { unshelve: null })).status, 202)
    assert.strictEqual(yield* shelved, 0)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a resize and an image of a server are validated and stored", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    yield* TestClock.adjust(2000)
    const act = (action: object) => Effect.map(acme.post(`/servers/${id}/action`, action), (_) => _.status)
    for (const wrong of [
      { createImage: { name: "copy", metadata: { "": "" } } },
      { createImage: { name: "copy", metadata: { ["k".repeat(260)]: "v" } } },
      { createImage: { name: "copy", other: 1 } },
      { resize: { flavorRef: "3", "OS-DCF:diskConfig": "OTHER" } },
      { resize: { flavorRef: "3", other: 1 } },
      { resize: {} }
    ]) {
      assert.strictEqual(yield* act(wrong), 400, JSON.stringify(wrong))
    }
    assert.strictEqual(yield* act({ resize: { flavorRef: "3", "OS-DCF:diskConfig": "AUTO" } }), 202)
    assert.strictEqual((yield* acme.get(`/servers/${id}`)).json.server["OS-DCF:diskConfig"], "AUTO")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("groups and floating IPs of a running server are changed by old and new actions", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const older = nova(acme.token, "2.43")
    const neutron = (method: string, path: string, json?: unknown) =>
      ask(method, `/network/v2.0${path}`, { token: acme.token, json })
    const group: string = (yield* neutron("POST", "/security-groups", { security_group: { name: "web" } })).json
      .security_group.id
    yield* neutron("GET", `/auto-allocated-topology/${acme.projectId}`)
    const id = yield* acme.server({ networks: "auto" })
    yield* TestClock.adjust(2000)
    const url = `/servers/${id}/action`
    const groups = Effect.map(acme.get(`/servers/${id}/os-security-groups`), (_) =>
      _.json.security_groups.map((one: { id: string }) => one.id)
    )
    assert.strictEqual((yield* acme.post(url, { addSecurityGroup: { name: "web" } })).status, 202)
    assert.include(yield* groups, group)
    assert.strictEqual(
      (yield* neutron("DELETE", `/security-groups/${group}`)).json.NeutronError.type,
      "SecurityGroupInUse"
    )
    assert.strictEqual((yield* acme.post(url, { removeSecurityGroup: { name: "web" } })).status, 202)
    assert.strictEqual((yield* acme.post(url, { removeSecurityGroup: { name: "web" } })).status, 404)
    assert.notInclude(yield* groups, group)
    assert.strictEqual((yield* acme.post(url, { addSecurityGroup: { name: "missing" } })).status, 404)
    const pool = { pool: "public" }
    const address: string = (yield* nova(acme.token, "2.1").post("/os-floating-ips", pool)).json.floating_ip.ip
    assert.strictEqual((yield* older.post(url, { addFloatingIp: { address } })).status, 202)
    const { addresses } = (yield* acme.get(`/servers/${id}`)).json.server
    const kinds = Object.values<ReadonlyArray<{ "OS-EXT-IPS:type": string }>>(addresses).flat()
    assert.deepStrictEqual(
      kinds.map((_) => _["OS-EXT-IPS:type"]),
      ["fixed", "floating"]
    )
    assert.strictEqual((yield* older.post(url, { removeFloatingIp: { address } })).status, 202)
    assert.strictEqual((yield* older.post(url, { removeFloatingIp: { address } })).status, 409)
    const [port] = (yield* acme.get(`/servers/${id}/os-interface`)).json.interfaceAttachments
    assert.strictEqual((yield* older.post(url, { addFixedIp: { networkId: port.net_id } })).status, 202)
    const fixed = { removeFixedIp: { address: port.fixed_ips[0].ip_address } }
    assert.strictEqual((yield* older.post(url, fixed)).status, 202)
    assert.strictEqual((yield* acme.get(`/servers/${id}/os-interface`)).json.interfaceAttachments.length, 1)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
