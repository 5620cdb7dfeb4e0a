import { assert, it } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { admin, tenant, v20 } from "./glance.ts"

it.effect("an image is queued until its bytes arrive, and takes them once", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const created = yield* acme.post("/images", { name: "mine", disk_format: "raw", container_format: "bare", os: "x" })
    assert.strictEqual(created.status, 201)
    assert.strictEqual(created.json.status, "queued")
    assert.strictEqual(created.json.owner, acme.projectId)
    assert.strictEqual(created.json.os, "x")
    assert.notProperty(created.json, "locations")
    const id: string = created.json.id
    assert.strictEqual((yield* acme.get(`/images/${id}/file`)).status, 204)
    assert.strictEqual((yield* acme.upload(id, "bytes", "application/json")).status, 415)
    assert.strictEqual((yield* acme.upload(id, "bytes")).status, 204)
    assert.strictEqual((yield* acme.upload(id, "bytes")).status, 409)
    const shown = yield* acme.get(`/images/${id}`)
    assert.strictEqual(shown.json.status, "active")
    assert.strictEqual(shown.json.size, 5)
    const file = yield* acme.get(`/images/${id}/file`)
    assert.strictEqual(file.body, "bytes")
    assert.strictEqual(file.headers["content-md5"], shown.json.checksum)
    const range = { token: acme.token, headers: { range: "bytes=1-2" } }
    const part = yield* ask("GET", `/image/v2/images/${id}/file`, range)
    assert.strictEqual(part.status, 206)
    assert.strictEqual(part.body, "yt")
    assert.strictEqual((yield* acme.delete(`/images/${id}`)).status, 204)
    assert.strictEqual((yield* acme.delete(`/images/${id}`)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("another tenant's image does not exist; a public one can be read and not changed", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const rename = [{ op: "replace", path: "/name", value: "theirs" }]
    const touch = (id: string) =>
      Effect.all([
        globex.patch(id, rename),
        globex.upload(id, "bytes"),
        globex.put(`/images/${id}/tags/a`),
        globex.delete(`/images/${id}`)
      ])
    for (const visibility of ["shared", "private"]) {
      const id = yield* acme.image({ visibility })
      const reads = [yield* globex.get(`/images/${id}`), yield* globex.get(`/images/${id}/file`)]
      const members = yield* globex.get(`/images/${id}/members`)
      for (const { status } of [...reads, members, ...(yield* touch(id))]) assert.strictEqual(status, 404, visibility)
    }
    for (const id of [publicImageId, yield* acme.image({ visibility: "community" })]) {
      assert.strictEqual((yield* globex.get(`/images/${id}`)).status, 200)
      for (const { status } of yield* touch(id)) assert.strictEqual(status, 403)
    }
    assert.deepStrictEqual(yield* globex.ids(""), [publicImageId])
    assert.strictEqual((yield* (yield* admin).ids("")).length, 4)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("only an administrator publishes an image, or creates it for another project", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const refused = [
      { visibility: "public" },
      { owner: "other" },
      { status: "active" },
      { self: "x" },
      { locations: [] }
    ]
    for (const body of refused) {
      assert.strictEqual((yield* acme.post("/images", body)).status, 403, JSON.stringify(body))
    }
    const wrong = [{ visibility: "secret" }, { min_disk: -1 }, { disk_format: "floppy" }, { custom: 1 }]
    for (const body of wrong) {
      assert.strictEqual((yield* acme.post("/images", body)).status, 400, JSON.stringify(body))
    }
    const id = yield* acme.image()
    const publish = [{ op: "replace", path: "/visibility", value: "public" }]
    assert.strictEqual((yield* acme.patch(id, publish)).status, 403)
    assert.strictEqual((yield* (yield* admin).patch(id, publish)).status, 200)
    assert.include(yield* (yield* tenant("globex")).ids(""), id)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("sharing: the owner offers, the member accepts", () =>
  Effect.gen(function* () {
    const [acme, globex, hooli] = [yield* tenant("acme"), yield* tenant("globex"), yield* tenant("hooli")]
    const id = yield* acme.image()
    const members = `/images/${id}/members`
    const self = `${members}/${globex.projectId}`
    assert.strictEqual((yield* acme.post(members, { member: globex.projectId })).status, 200)
    assert.strictEqual((yield* acme.post(members, { member: globex.projectId })).status, 409)
    assert.strictEqual((yield* globex.post(members, { member: hooli.projectId })).status, 403)
    assert.strictEqual((yield* globex.get(`/images/${id}`)).status, 200)
    assert.notInclude(yield* globex.ids(""), id)
    assert.include(yield* globex.ids("?visibility=shared&member_status=pending"), id)
    assert.strictEqual((yield* acme.put(self, { status: "accepted" })).status, 403)
    assert.strictEqual((yield* globex.put(self, { status: "maybe" })).status, 400)
    assert.strictEqual((yield* globex.put(self, { status: "accepted" })).status, 200)
    assert.include(yield* globex.ids(""), id)
    assert.strictEqual((yield* hooli.get(self)).status, 404)
    assert.strictEqual((yield* globex.delete(self)).status, 403)
    assert.strictEqual((yield* acme.delete(self)).status, 204)
    assert.strictEqual((yield* globex.get(`/images/${id}`)).status, 404)
    const hidden = yield* acme.image({ visibility: "private" })
    assert.strictEqual((yield* acme.post(`/images/${hidden}/members`, { member: globex.projectId })).status, 403)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a patch takes one of two media types, and is applied whole or not at all", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.image()
    const plain = yield* acme.patch(id, [], "application/json")
    assert.strictEqual(plain.status, 415)
    assert.property(plain.headers, "accept-patch")
    assert.strictEqual((yield* acme.patch(id, [{ replace: "/name", value: "old" }], v20)).json.name, "old")
    const added = yield* acme.patch(id, [{ op: "add", path: "/os_distro", value: "debian" }])
    assert.strictEqual(added.json.os_distro, "debian")
    const half = [
      { op: "replace", path: "/name", value: "half" },
      { op: "remove", path: "/nothing" }
    ]
    assert.strictEqual((yield* acme.patch(id, half)).status, 409)
    assert.strictEqual((yield* acme.get(`/images/${id}`)).json.name, "old")
    const refused: ReadonlyArray<readonly [object, number]> = [
      [{ op: "replace", path: "/status", value: "active" }, 403],
      [{ op: "add", path: "//locations/-", value: { url: "http://x" } }, 403],
      [{ op: "add", path: "/ locations /-", value: { url: "http://x" } }, 403],
      [{ op: "add", path: "/\x1clocations\x85/-", value: { url: "http://x" } }, 403],
      [{ op: "add", path: "/\ufefflocations/-", value: { url: "http://x" } }, 400],
      [{ op: "add", path: "///locations/-", value: { url: "http://x" } }, 400],
      [{ op: "add", path: "/locations/ /-", value: { url: "http://x" } }, 400],
      [{ op: "add", path: "/locations", value: [{ url: "http://x" }] }, 400],
      [{ op: "replace", path: "/loc~0ations", value: "x" }, 409],
      [{ op: "add", path: "/loc~ations", value: "x" }, 400],
      [{ op: "add", path: "/os_glance_stage", value: "x" }, 403],
      [{ op: "add", path: "/deleted", value: "x" }, 403],
      [{ op: "replace", path: "/owner", value: "other" }, 403],
      [{ op: "remove", path: "/name" }, 403],
      [{ op: "move", path: "/name" }, 400],
      [{ op: "add", path: "name", value: "x" }, 400],
      [{ op: "add", path: "/name" }, 400]
    ]
    for (const [change, status] of refused) {
      assert.strictEqual((yield* acme.patch(id, [change])).status, status, JSON.stringify(change))
    }
    yield* acme.put(`/images/${id}/tags/blue`)
    assert.deepStrictEqual((yield* acme.get(`/images/${id}`)).json.tags, ["blue"])
    assert.strictEqual((yield* acme.delete(`/images/${id}/tags/blue`)).status, 204)
    assert.strictEqual((yield* acme.delete(`/images/${id}/tags/blue`)).status, 404)
    yield* acme.patch(id, [{ op: "replace", path: "/protected", value: true }])
    assert.strictEqual((yield* acme.delete(`/images/${id}`)).status, 403)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("locations are shown and can be set when they are switched on", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const { world } = yield* SimulatedCloud
    world.glance.showLocations = true
    const id = yield* acme.image()
    const change = [{ op: "add", path: "//locations/-", value: { url: "http://x", metadata: {} } }]
    const patched = yield* acme.patch(id, change)
    assert.deepStrictEqual(patched.json.locations, [{ url: "http://x", metadata: {} }])
    assert.strictEqual(patched.json.direct_url, "http://x")
    assert.strictEqual((yield* acme.get(`/images/${id}/locations`)).status, 403)
    const other = yield* acme.image()
    assert.strictEqual((yield* acme.post(`/images/${other}/locations`, { url: "http://x" })).status, 202)
    const older = [{ replace: "//locations", value: [{ url: "http://y", metadata: {} }] }]
    assert.strictEqual((yield* acme.patch(id, older, v20)).json.direct_url, "http://y")
    const listed = (yield* acme.get("/images")).json.images
    assert.deepStrictEqual(listed.flatMap((_: { direct_url?: string }) => _.direct_url ?? []).toSorted(), [
      "http://x",
      "http://y"
    ])
    assert.deepStrictEqual((yield* acme.post("/images", { name: "new" })).json.locations, [])
    assert.strictEqual((yield* acme.patch(id, [{ op: "remove", path: "/locations/1" }])).status, 400)
    const emptied = yield* acme.patch(id, [{ op: "remove", path: "/locations/0" }])
    assert.deepStrictEqual([emptied.json.status, emptied.json.locations], ["queued", []])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an error is a page in the format that the client accepts", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const read = (accept: string) => ask("GET", "/image/v2/images/x", { token: acme.token, headers: { accept } })
    const asJson = yield* read("application/json")
    assert.strictEqual(asJson.status, 404)
    assert.deepStrictEqual(asJson.json, {
      message: "No image found with ID x<br /><br />\n\n\n",
      code: "404 Not Found",
      title: "Not Found"
    })
    const formats: ReadonlyArray<readonly [string, string]> = [
      ["*/*", "text/html"],
      ["text/html;q=0.5, application/json", "application/json"],
      ["", "text/plain"],
      ["image/png", "text/plain"]
    ]
    for (const [accept, type] of formats) {
      assert.include((yield* read(accept)).headers["content-type"] ?? "", type, accept)
    }
    assert.isTrue((yield* read("")).body.startsWith("404 Not Found\n\nNo image found with ID x"))
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("images come 25 at a time, and an unknown key filters on a property", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    for (let i = 0; i < 30; i++) {
      yield* acme.image({ name: `image-${i}`, color: i === 3 ? "blue" : "red" })
      yield* TestClock.adjust(10)
    }
    const first = yield* acme.get("/images?color=red")
    assert.strictEqual(first.json.images.length, 25)
    assert.strictEqual(first.json.first, "/v2/images?color=red")
    assert.strictEqual(first.json.next, `/v2/images?color=red&marker=${first.json.images[24].id}`)
    const second = yield* ask("GET", `/image${first.json.next}`, { token: acme.token })
    assert.strictEqual(second.json.images.length, 4)
    assert.notProperty(second.json, "next")
    const [blue] = (yield* acme.get("/images?color=blue")).json.images
    assert.strictEqual(blue.name, "image-3")
    assert.deepStrictEqual(yield* (yield* admin).ids("?all_tenants=1"), [])
    assert.strictEqual((yield* acme.ids("?limit=1000")).length, 31)
    assert.deepStrictEqual(yield* acme.ids("?visibility=public"), [publicImageId])
    for (const query of ["limit=x", "limit=-1", "marker=x", "visibility=x"]) {
      assert.strictEqual((yield* acme.get(`/images?${query}`)).status, 400, query)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
