import { assert, it } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { admin, nova, small, tenant } from "./nova.ts"

it.effect("servers are found by name, address and time of change", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const made = (target: string, json: object) =>
      Effect.map(ask("POST", `/network/v2.0/${target}s`, { token: acme.token, json: { [target]: json } }), (_) =>
        String(_.json[target].id)
      )
    const network_id = yield* made("network", { name: "n" })
    yield* made("subnet", { network_id, ip_version: 4, cidr: "10.1.2.0/24" })
    yield* acme.server({ name: "web-1", networks: [{ uuid: network_id }] })
    const gone = yield* acme.server({ name: "Web-2" })
    yield* acme.server({ name: "db" })
    yield* TestClock.adjust(60_000)
    yield* acme.get("/servers")
    yield* acme.delete(`/servers/${gone}`)
    yield* TestClock.adjust(60_000)
    const names = (query: string) =>
      Effect.map(acme.get(`/servers/detail?${query}`), ({ json }) =>
        json.servers.map((_: { readonly name: string }) => _.name).toSorted()
      )
    assert.deepStrictEqual(yield* names("name=^web"), ["web-1"])
    assert.deepStrictEqual(yield* names("name=b$"), ["db"])
    assert.deepStrictEqual(yield* names("name=w.b"), ["web-1"])
    assert.deepStrictEqual(yield* names("ip=10.1.2"), ["web-1"])
    assert.deepStrictEqual(yield* names("ip=192.0"), [])
    assert.deepStrictEqual(yield* names("changes-since=1970-01-01T00:00:00Z"), ["Web-2", "db", "web-1"])
    assert.deepStrictEqual(yield* names("changes-since=1970-01-01T00:01:01"), ["Web-2"])
    assert.deepStrictEqual(yield* names("changes-since=1970-01-02T00:00:00%2B00:00"), [])
    const { servers } = (yield* acme.get("/servers/detail?changes-since=1970-01-01T00:01:01Z")).json
    assert.strictEqual(servers[0].status, "DELETED")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("servers of one create share a reservation id, which administrators see from 2.3 on", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    yield* acme.server()
    const server = { ...small, min_count: 2, return_reservation_id: true }
    const { reservation_id } = (yield* acme.post("/servers", { server })).json
    assert.match(reservation_id, /^r-[0-9a-z]{8}$/)
    const found = (yield* acme.get(`/servers?reservation_id=${reservation_id}`)).json.servers
    assert.lengthOf(found, 2)
    const shown = (token: string, version: string) =>
      Effect.map(
        nova(token, version).get(`/servers/${found[0].id}`),
        (_) => _.json.server["OS-EXT-SRV-ATTR:reservation_id"]
      )
    const { token: control } = yield* admin
    assert.strictEqual(yield* shown(control, "2.3"), reservation_id)
    assert.isUndefined(yield* shown(control, "2.2"))
    assert.isUndefined(yield* shown(acme.token, "2.90"))
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a query outside the schema is a 400", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const message = (answer: { readonly json: { readonly badRequest?: { readonly message: string } } }) =>
      answer.json.badRequest?.message
    for (const path of ["/servers", "/servers/detail"]) {
      const [dated, named, odd] = [
        yield* acme.get(`${path}?changes-since=yesterday`),
        yield* acme.get(`${path}?name=(`),
        yield* acme.get(`${path}?colour=red`)
      ]
      const wrong = "Invalid input for query parameters"
      assert.strictEqual(message(dated), `${wrong} changes-since. Value: yesterday. 'yesterday' is not a 'date-time'`)
      assert.strictEqual(message(named), `${wrong} name. Value: (. '(' is not a 'regex'`)
      assert.strictEqual(message(odd), "'colour' does not match any of the regexes: '^_'")
      assert.strictEqual((yield* nova(acme.token, "2.74").get(`${path}?colour=red`)).status, 200)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("flavors are filtered by their minimum memory and disk", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const ids = (query: string) =>
      Effect.map(acme.get(`/flavors?${query}`), ({ json }) => json.flavors.map((_: { readonly id: string }) => _.id))
    assert.deepStrictEqual(yield* ids("minRam=4096"), ["3", "4"])
    assert.deepStrictEqual(yield* ids("minDisk=41"), ["4"])
    assert.deepStrictEqual(yield* ids("minDisk=1&minRam=9000"), [])
    const refused = yield* acme.get("/flavors/detail?minRam=much")
    assert.strictEqual(refused.json.badRequest.message, "Invalid minRam filter [much]")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("extensions, image metadata and limits exist until their last API version", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    assert.strictEqual((yield* acme.get("/extensions")).json.extensions.length, 99)
    assert.strictEqual((yield* acme.get("/extensions/os-volumes")).json.extension.name, "Volumes")
    assert.strictEqual((yield* acme.get("/extensions/none")).status, 404)
    const old = nova(acme.token, "2.1")
    const image = yield* ask("POST", "/image/v2/images", { token: acme.token, json: { name: "i" } })
    const path = `/images/${image.json.id}/metadata`
    assert.deepStrictEqual((yield* old.post(path, { metadata: { a: "1" } })).json, { metadata: { a: "1" } })
    assert.deepStrictEqual((yield* old.put(`${path}/b`, { meta: { b: "2" } })).json, { meta: { b: "2" } })
    assert.deepStrictEqual((yield* old.get(`${path}/b`)).json, { meta: { b: "2" } })
    assert.strictEqual((yield* old.delete(`${path}/a`)).status, 204)
    assert.deepStrictEqual((yield* old.get(path)).json, { metadata: { b: "2" } })
    assert.deepStrictEqual((yield* old.put(path, { metadata: {} })).json, { metadata: {} })
    assert.strictEqual((yield* old.get(`${path}/b`)).status, 404)
    assert.strictEqual((yield* old.post(`/images/${publicImageId}/metadata`, { metadata: {} })).status, 403)
    assert.strictEqual((yield* nova(acme.token, "2.39").get(path)).status, 404)
    const { absolute } = (yield* old.get("/limits")).json.limits
    assert.containsAllKeys(absolute, ["maxImageMeta", "totalFloatingIpsUsed", "totalSecurityGroupsUsed"])
    assert.notProperty((yield* acme.get("/limits")).json.limits.absolute, "maxImageMeta")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
