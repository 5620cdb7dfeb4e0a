import { assert, it } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { admin, nova, tenant } from "./nova.ts"

/** A tenant as a client without a microversion: the calls that Nova passes on are all there. */
const old = (name: string) => Effect.map(tenant(name), (_) => ({ ..._, ...nova(_.token, "2.35") }))

const rulesIn = (token: string, group: string) =>
  Effect.map(
    ask("GET", `/network/v2.0/security-group-rules?security_group_id=${group}&direction=ingress`, { token }),
    (_) => _.json.security_group_rules
  )

it.effect("Nova's proxies are 404 from 2.36, and served without a microversion", () =>
  Effect.gen(function* () {
    const { token } = yield* tenant("acme")
    const paths = [
      "/os-security-groups",
      "/os-floating-ips",
      "/os-floating-ip-pools",
      "/os-networks",
      "/os-tenant-networks",
      "/images",
      "/os-volumes",
      "/os-snapshots"
    ]
    for (const path of paths) {
      const url = `/compute/v2.1${path}`
      assert.strictEqual((yield* ask("GET", url, { token })).status, 200, path)
      const statuses: ReadonlyArray<readonly [string, number]> = [
        ["2.35", 200],
        ["2.36", 404],
        ["latest", 404]
      ]
      for (const [version, status] of statuses) {
        assert.strictEqual((yield* nova(token, version).get(path)).status, status, `${path} ${version}`)
      }
    }
    assert.strictEqual((yield* nova(token, "2.1").post("/os-networks", { network: {} })).status, 410)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a rule made through Nova is Neutron's, with any spelling of the world", () =>
  Effect.gen(function* () {
    const acme = yield* old("acme")
    const group = yield* acme.post("/os-security-groups", { security_group: { name: "web", description: "" } })
    assert.deepStrictEqual([group.status, group.json.security_group.rules], [200, []])
    const { id } = group.json.security_group
    const ssh = { parent_group_id: id, ip_protocol: "tcp", from_port: 22, to_port: 22 }
    const worlds: ReadonlyArray<object> = [
      { cidr: null },
      {},
      { cidr: "0.0.0.0/0" },
      { cidr: "0.0.0.0%2F0", from_port: "22", to_port: "22" },
      { cidr: "0/0", ip_protocol: "TCP" },
      { cidr: "::/0" },
      { cidr: "", from_port: 22.9 }
    ]
    for (const more of worlds) {
      const made = yield* acme.post("/os-security-group-rules", { security_group_rule: { ...ssh, ...more } })
      assert.strictEqual(made.status, 200, `${JSON.stringify(more)}: ${made.body}`)
      const [rule] = yield* rulesIn(acme.token, id)
      assert.deepInclude(rule, { id: made.json.security_group_rule.id, port_range_min: 22, protocol: "tcp" })
      assert.match(rule.remote_ip_prefix, /^(0\.0\.0\.0|::)\/0$/)
      const twice = yield* acme.post("/os-security-group-rules", { security_group_rule: { ...ssh, ...more } })
      assert.oneOf(twice.status, [400, 403])
      assert.strictEqual((yield* acme.delete(`/os-security-group-rules/${rule.id}`)).status, 202)
      assert.deepStrictEqual(yield* rulesIn(acme.token, id), [])
    }
    const whole = { parent_group_id: id, ip_protocol: "tcp", group_id: id }
    const own = yield* acme.post("/os-security-group-rules", { security_group_rule: whole })
    assert.deepInclude(own.json.security_group_rule, { from_port: 1, to_port: 65535, ip_range: {} })
    assert.strictEqual(own.json.security_group_rule.group.name, "web")
    assert.strictEqual((yield* acme.get(`/os-security-groups/${id}`)).json.security_group.rules.length, 1)
    assert.strictEqual((yield* acme.delete(`/os-security-groups/${id}`)).status, 202)
    assert.strictEqual((yield* acme.get(`/os-security-groups/${id}`)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("rules through Nova have Nova's messages, and another tenant's group is refused", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* old("acme"), yield* old("globex")]
    const body = { security_group: { name: "web", description: "" } }
    const id: string = (yield* acme.post("/os-security-groups", body)).json.security_group.id
    const rule = { parent_group_id: id, ip_protocol: "tcp", from_port: 22, to_port: 22 }
    const table: ReadonlyArray<readonly [object, number, RegExp]> = [
      [{ parent_group_id: "web" }, 400, /should be uuid/],
      [{ parent_group_id: publicImageId }, 404, /does not exist/],
      [{ cidr: "203.0.113.7/0" }, 400, /Bad prefix/],
      [{ cidr: "203.0.113.7" }, 400, /^203.0.113.7 is not a valid IP network.$/],
      [{ cidr: "everywhere/0" }, 400, /not a valid IP network/],
      [{ ip_protocol: 6 }, 400, /Invalid IP protocol 6/],
      [{ ip_protocol: null }, 400, /Not enough parameters/],
      [{ from_port: null }, 400, /Not enough parameters/],
      [{ from_port: "ssh" }, 400, /must be integers/],
      [{ from_port: 23 }, 400, /Former value/],
      [{ from_port: 0 }, 400, /1-65535/],
      [{ group_id: publicImageId }, 404, /does not exist/]
    ]
    for (const [more, status, words] of table) {
      const answer = yield* acme.post("/os-security-group-rules", { security_group_rule: { ...rule, ...more } })
      assert.strictEqual(answer.status, status, `${JSON.stringify(more)}: ${answer.body}`)
      const [fault] = Object.values<{ message: string }>(answer.json)
      assert.match(fault?.message ?? "", words)
    }
    const foreign = [
      yield* globex.post("/os-security-group-rules", { security_group_rule: rule }),
      yield* globex.get(`/os-security-groups/${id}`),
      yield* globex.put(`/os-security-groups/${id}`, { security_group: { name: "x", description: "" } }),
      yield* globex.delete(`/os-security-groups/${id}`)
    ]
    for (const { status } of foreign) assert.strictEqual(status, 404)
    assert.deepStrictEqual(yield* rulesIn(acme.token, id), [])
    const names = (_: typeof acme, query = "") =>
      Effect.map(_.get(`/os-security-groups${query}`), (found) =>
        found.json.security_groups.map((one: { name: string }) => one.name)
      )
    assert.deepStrictEqual(yield* names(globex, "?all_tenants=1"), ["default"])
    const control = { ...acme, ...nova((yield* admin).token, "2.1") }
    assert.include(yield* names(control, "?all_tenants=1"), "web")
    assert.notInclude(yield* names(control), "web")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a floating IP through Nova is Neutron's, and counts as one", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* old("acme"), yield* old("globex")]
    const pools = (yield* acme.get("/os-floating-ip-pools")).json.floating_ip_pools
    assert.deepStrictEqual(pools, [{ name: "public" }])
    assert.strictEqual((yield* acme.post("/os-floating-ips", undefined)).status, 404)
    const made = yield* acme.post("/os-floating-ips", { pool: "public" })
    assert.deepInclude(made.json.floating_ip, { pool: "public", ip: "203.0.113.2", fixed_ip: null })
    const url = `/os-floating-ips/${made.json.floating_ip.id}`
    const listed = yield* ask("GET", "/network/v2.0/floatingips", { token: acme.token })
    assert.strictEqual(listed.json.floatingips[0].id, made.json.floating_ip.id)
    assert.strictEqual((yield* globex.get(url)).status, 404)
    assert.strictEqual((yield* globex.delete(url)).status, 404)
    const limit = { quota: { floatingip: 1, force: true } }
    const token = (yield* admin).token
    yield* ask("PUT", `/network/v2.0/quotas/${acme.projectId}`, { token, json: limit })
    const over = yield* acme.post("/os-floating-ips", { pool: "public" })
    assert.deepStrictEqual(over.json, { forbidden: { code: 403, message: "IP allocation over quota in pool public." } })
    assert.strictEqual((yield* acme.delete(url)).status, 202)
    assert.deepStrictEqual((yield* acme.get("/os-floating-ips")).json.floating_ips, [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("images and volumes through Nova are Glance's and Cinder's", () =>
  Effect.gen(function* () {
    const acme = yield* old("acme")
    assert.strictEqual((yield* acme.get("/images/detail")).json.images[0].id, publicImageId)
    assert.strictEqual((yield* acme.get(`/images/${publicImageId}`)).json.image.status, "ACTIVE")
    assert.strictEqual((yield* acme.delete(`/images/${publicImageId}`)).status, 403)
    const made = yield* acme.post("/os-volumes", { volume: { size: 3, display_name: "data" } })
    assert.deepInclude(made.json.volume, { size: 3, displayName: "data" })
    const url = `/os-volumes/${made.json.volume.id}`
    const volumes = yield* ask("GET", `/volume/v3/${acme.projectId}/volumes`, { token: acme.token })
    assert.strictEqual(volumes.json.volumes.length, 1)
    assert.strictEqual((yield* (yield* old("globex")).get(url)).status, 404)
    yield* TestClock.adjust(1000)
    assert.strictEqual((yield* acme.delete(url)).status, 202)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a snapshot that is made through Nova is one of Cinder", () =>
  Effect.gen(function* () {
    const acme = yield* old("acme")
    const volume = (yield* acme.post("/os-volumes", { volume: { size: 1, display_name: "data" } })).json.volume
    yield* TestClock.adjust("2 seconds")
    const given = { volume_id: volume.id, display_name: "copy", display_description: "of data" }
    const made = yield* acme.post("/os-snapshots", { snapshot: { ...given, force: "false" } })
    const { id } = made.json.snapshot
    const shown = { id, volumeId: volume.id, size: 1, displayName: "copy", displayDescription: "of data" }
    assert.strictEqual(made.status, 200)
    assert.deepInclude(made.json.snapshot, { ...shown, status: "creating" })
    yield* TestClock.adjust("2 seconds")
    assert.deepInclude((yield* acme.get(`/os-snapshots/${id}`)).json.snapshot, { ...shown, status: "available" })
    for (const path of ["/os-snapshots", "/os-snapshots/detail"]) {
      assert.deepStrictEqual(
        (yield* acme.get(path)).json.snapshots.map((_: typeof shown) => _.id),
        [id]
      )
    }
    assert.deepStrictEqual((yield* acme.get("/os-snapshots?offset=1")).json.snapshots, [])
    for (const [body, status] of [
      [{}, 400],
      [{ snapshot: {} }, 400],
      [{ snapshot: { ...given, force: "perhaps" } }, 400],
      [{ snapshot: { ...given, more: 1 } }, 400],
      [{ snapshot: { volume_id: "none" } }, 500]
    ] as const) {
      assert.strictEqual((yield* acme.post("/os-snapshots", body)).status, status, JSON.stringify(body))
    }
    assert.strictEqual((yield* acme.delete(`/os-snapshots/${id}`)).status, 202)
    yield* TestClock.adjust("2 seconds")
    const gone = yield* acme.get(`/os-snapshots/${id}`)
    assert.deepStrictEqual([gone.status, gone.json.itemNotFound.message], [404, `Snapshot ${id} could not be found.`])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
