import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { tenant } from "./cinder.ts"
import { nova } from "./nova.ts"

const at = (minor: number) => ({ "openstack-api-version": `volume 3.${minor}` })

const named = (things: ReadonlyArray<{ readonly name: string }>) => things.map((_) => _.name)

it.effect("snapshots are sorted, by known keys", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const volume_id = yield* acme.volume(1)
    yield* TestClock.adjust(2000)
    for (const name of ["b", "a", "c"]) {
      yield* acme.post("/snapshots", { snapshot: { volume_id, name } })
      yield* TestClock.adjust(2000)
    }
    const list = (query: string, minor = 71) =>
      ask("GET", `/volume/v3/snapshots?${query}`, { token: acme.token, headers: at(minor) })
    assert.deepStrictEqual(named((yield* list("sort=name:asc")).json.snapshots), ["a", "b", "c"])
    assert.deepStrictEqual(named((yield* list("sort_key=display_name&sort_dir=desc", 0)).json.snapshots), [
      "c",
      "b",
      "a"
    ])
    assert.deepStrictEqual(named((yield* list("sort=created_at:asc&limit=2")).json.snapshots), ["b", "a"])
    const refused = yield* list("sort=colour:asc")
    assert.deepStrictEqual(
      [refused.status, refused.json.badRequest.message],
      [400, "Invalid input received: Invalid sort key"]
    )
    assert.strictEqual((yield* list("sort=name", 29)).status, 400)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a snapshot of a null volume is a 404, and of a malformed id a 400", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const make = (snapshot: object) => acme.post("/snapshots", { snapshot })
    const none = yield* make({ volume_id: null })
    assert.deepStrictEqual([none.status, none.json.itemNotFound.message], [404, "Volume None could not be found."])
    const odd = yield* make({ volume_id: "x" })
    assert.deepStrictEqual(
      [odd.status, odd.json.badRequest.message],
      [400, "Invalid input for field/attribute volume_id. Value: x. 'x' is not valid under any of the given schemas"]
    )
    assert.strictEqual((yield* make({})).status, 400)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("volumes are found by their metadata, and summed up since 3.12", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const make = (name: string, metadata: object) => acme.post("/volumes", { volume: { size: 2, name, metadata } })
    yield* make("one", { a: "1", b: "2" })
    yield* make("two", { a: "1", b: "3" })
    const found = (filter: string) =>
      Effect.map(acme.get(`/volumes/detail?metadata=${encodeURIComponent(filter)}`), (_) =>
        named(_.json.volumes).toSorted()
      )
    assert.deepStrictEqual(yield* found("{'a': '1'}"), ["one", "two"])
    assert.deepStrictEqual(yield* found(`{"a": "1", 'b': '3'}`), ["two"])
    assert.deepStrictEqual(yield* found("{'a': '2'}"), [])
    assert.deepStrictEqual(yield* found("a=1"), [])
    assert.deepStrictEqual(yield* found("{}"), ["one", "two"])
    const summary = (minor: number) =>
      ask("GET", `/volume/v3/${acme.projectId}/volumes/summary`, { token: acme.token, headers: at(minor) })
    assert.strictEqual((yield* summary(11)).status, 404)
    assert.deepStrictEqual((yield* summary(12)).json, { "volume-summary": { total_count: 2, total_size: 4 } })
    assert.deepStrictEqual((yield* summary(36)).json["volume-summary"].metadata, { a: ["1"], b: ["2", "3"] })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("extensions are listed, and the read-only flag is in the metadata", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    assert.strictEqual((yield* acme.get("/extensions")).json.extensions.length, 32)
    assert.strictEqual((yield* acme.get("/extensions/backups")).json.extension.name, "Backups")
    assert.strictEqual((yield* acme.get("/extensions/none")).status, 404)
    const id = yield* acme.volume(1)
    const flag = (readonly: unknown) => acme.post(`/volumes/${id}/action`, { "os-update_readonly_flag": { readonly } })
    assert.strictEqual((yield* flag(true)).status, 400)
    yield* TestClock.adjust(2000)
    const metadata = Effect.map(acme.get(`/volumes/${id}`), (_) => _.json.volume.metadata)
    assert.deepStrictEqual(yield* metadata, {})
    yield* flag(true)
    assert.deepStrictEqual(yield* metadata, { readonly: "True" })
    const attach = (mode: string) =>
      acme.post(`/volumes/${id}/action`, { "os-attach": { instance_uuid: id, mountpoint: "/dev/vdb", mode } })
    assert.strictEqual((yield* attach("rw")).status, 400)
    yield* flag("false")
    yield* attach("rw")
    assert.deepStrictEqual(yield* metadata, { readonly: "False", attached_mode: "rw" })
    yield* acme.post(`/volumes/${id}/action`, { "os-detach": {} })
    assert.deepStrictEqual(yield* metadata, { readonly: "False" })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("compute's list of volumes is paged", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    for (const size of [1, 2, 3]) {
      yield* acme.volume(size)
      yield* TestClock.adjust(1000)
    }
    const sizes = (query: string) =>
      Effect.map(nova(acme.token, "2.1").get(`/os-volumes?${query}`), ({ json }) =>
        json.volumes.map((_: { readonly size: number }) => _.size)
      )
    assert.deepStrictEqual(yield* sizes("limit=2"), [3, 2])
    assert.deepStrictEqual(yield* sizes("offset=1"), [2, 1])
    assert.deepStrictEqual(yield* sizes("limit=1&offset=2"), [1])
    assert.strictEqual((yield* nova(acme.token, "2.1").get("/os-volumes/detail?limit=-1")).status, 400)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
