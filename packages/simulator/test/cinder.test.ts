import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, controlToken } from "./ask.ts"
import { admin, tenant } from "./cinder.ts"

it.effect("a volume is creating, available, deleting, then 404", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const created = yield* acme.post("/volumes", { volume: { size: 10, name: "data", project_id: "other" } })
    assert.strictEqual(created.status, 202)
    assert.strictEqual(created.json.volume.status, "creating")
    // Whose it is, is told to who reads alone.
    assert.notProperty(created.json.volume, "os-vol-tenant-attr:tenant_id")
    assert.isNull(created.json.volume.updated_at)
    const path = `/volumes/${created.json.volume.id}`
    assert.strictEqual((yield* acme.get(path)).json.volume["os-vol-tenant-attr:tenant_id"], acme.projectId)
    assert.strictEqual((yield* acme.delete(path)).status, 400)
    yield* TestClock.adjust(1000)
    assert.strictEqual((yield* acme.get(path)).json.volume.status, "available")
    assert.strictEqual((yield* acme.delete(path)).status, 202)
    assert.strictEqual((yield* acme.delete(path)).status, 400)
    yield* TestClock.adjust(1000)
    const gone = yield* acme.get(path)
    assert.strictEqual(gone.status, 404)
    assert.deepStrictEqual(gone.json, {
      itemNotFound: { code: 404, message: `Volume ${created.json.volume.id} could not be found.` }
    })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the project in the URL is the token's, even for an administrator", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const token = yield* controlToken
    const foreign = yield* ask("GET", `/volume/v3/${acme.projectId}/volumes`, { token })
    assert.strictEqual(foreign.status, 400)
    assert.deepStrictEqual(foreign.json, { badRequest: { code: 400, message: "Malformed request url" } })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("another tenant's volumes and snapshots do not exist", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const volume = yield* acme.volume(1)
    yield* TestClock.adjust(1000)
    const snapshot = yield* acme.post("/snapshots", { snapshot: { volume_id: volume } })
    assert.strictEqual(snapshot.status, 202)
    const theirs = [`/volumes/${volume}`, `/snapshots/${snapshot.json.snapshot.id}`]
    for (const path of theirs) {
      const kind = path.split("/")[1]?.slice(0, -1) ?? ""
      assert.strictEqual((yield* acme.get(path)).status, 200, path)
      assert.strictEqual((yield* globex.get(path)).status, 404, path)
      assert.strictEqual((yield* globex.put(path, { [kind]: { name: "mine" } })).status, 404, path)
      assert.strictEqual((yield* globex.delete(path)).status, 404, path)
    }
    const extended = yield* globex.post(`/volumes/${volume}/action`, { "os-extend": { new_size: 5 } })
    assert.strictEqual(extended.status, 404)
    assert.strictEqual((yield* globex.post("/snapshots", { snapshot: { volume_id: volume } })).status, 404)
    assert.strictEqual((yield* globex.post("/volumes", { volume: { size: 1, source_volid: volume } })).status, 404)
    for (const list of ["/volumes", "/volumes/detail?all_tenants=1", "/snapshots", "/snapshots/detail"]) {
      const { json, status } = yield* globex.get(list)
      assert.strictEqual(status, 200, list)
      assert.deepStrictEqual(json.volumes ?? json.snapshots, [], list)
    }
    const all = yield* (yield* admin).get("/volumes/detail?all_tenants=1")
    assert.deepStrictEqual(
      all.json.volumes.map((_: { id: string }) => _.id),
      [volume]
    )
    assert.deepStrictEqual((yield* (yield* admin).get("/volumes/detail")).json.volumes, [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a create over quota is a 413 with retry-after 0", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const limits = { quota_set: { volumes: 2, gigabytes: 20, snapshots: 0 } }
    const written = yield* (yield* admin).put(`/os-quota-sets/${acme.projectId}`, limits)
    assert.strictEqual(written.status, 200)
    assert.notProperty(written.json.quota_set, "id")
    const volume = yield* acme.volume(15)
    const large = yield* acme.post("/volumes", { volume: { size: 6 } })
    assert.strictEqual(large.status, 413)
    assert.strictEqual(large.headers["retry-after"], "0")
    assert.deepStrictEqual(large.json, {
      overLimit: {
        code: 413,
        message:
          "VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. " +
          "Requested 6G, quota is 20G and 15G has been consumed.",
        retryAfter: "0"
      }
    })
    yield* acme.volume(5)
    yield* (yield* admin).put(`/os-quota-sets/${acme.projectId}`, { quota_set: { gigabytes: 100 } })
    const third = yield* acme.post("/volumes", { volume: { size: 1 } })
    assert.strictEqual(
      third.json.overLimit.message,
      "VolumeLimitExceeded: Maximum number of volumes allowed (2) exceeded for quota 'volumes'."
    )
    yield* TestClock.adjust(1000)
    const snapshot = yield* acme.post("/snapshots", { snapshot: { volume_id: volume } })
    assert.strictEqual(snapshot.json.overLimit.message.split(":")[0], "SnapshotLimitExceeded")
    const grown = yield* acme.post(`/volumes/${volume}/action`, { "os-extend": { new_size: 96 } })
    assert.strictEqual(grown.status, 413)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a quota set is written whole or not at all, never below usage", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    yield* acme.volume(300)
    const control = yield* admin
    const path = `/os-quota-sets/${acme.projectId}`
    const refused = yield* control.put(path, { quota_set: { volumes: 8, gigabytes: 80 } })
    assert.strictEqual(refused.status, 400)
    assert.deepStrictEqual(refused.json, {
      badRequest: {
        code: 400,
        message:
          "Quota gigabytes limit must be equal or greater than existing resources. " +
          "Current usage is 300 and the requested limit is 80."
      }
    })
    assert.strictEqual((yield* control.get(path)).json.quota_set.volumes, 10)
    const wrong = [{ floppies: 1 }, { volumes: "8" }, { volumes: -2 }, { volumes: 1.5 }]
    for (const quota_set of wrong) assert.strictEqual((yield* control.put(path, { quota_set })).status, 400)
    const bad = yield* control.put(path, { quota_set: { floppies: 1 } })
    assert.strictEqual(bad.json.badRequest.message, "Invalid input received: Bad key(s) in quota set: floppies")
    yield* control.put(path, { quota_set: { gigabytes: 300, backups: -1 } })
    const { json } = yield* acme.get(`${path}?usage=True`)
    assert.strictEqual(json.quota_set.id, acme.projectId)
    assert.deepStrictEqual(json.quota_set.gigabytes, { limit: 300, in_use: 300, reserved: 0 })
    assert.strictEqual((yield* control.get(`${path}/defaults`)).json.quota_set.gigabytes, 1000)
    assert.strictEqual((yield* control.delete(path)).status, 200)
    assert.strictEqual((yield* control.get(path)).json.quota_set.gigabytes, 1000)
    // Nobody asks whether the project exists.
    assert.strictEqual((yield* control.put("/os-quota-sets/nowhere", { quota_set: { volumes: 1 } })).status, 200)
    const globex = yield* tenant("globex")
    assert.strictEqual((yield* globex.get(path)).status, 403)
    assert.strictEqual((yield* acme.put(path, { quota_set: { volumes: 99 } })).status, 403)
    assert.strictEqual((yield* acme.delete(path)).status, 403)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("snapshots hold their volume, unless it cascades, and they count as gigabytes", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const volume = yield* acme.volume(4)
    yield* TestClock.adjust(1000)
    yield* acme.post("/snapshots", { snapshot: { volume_id: volume, name: "before" } })
    const { absolute } = (yield* acme.get("/limits")).json.limits
    assert.strictEqual(absolute.totalGigabytesUsed, 8)
    yield* TestClock.adjust(1000)
    const held = yield* acme.delete(`/volumes/${volume}`)
    assert.strictEqual(held.status, 400)
    assert.match(held.json.badRequest.message, /^Invalid volume: Volume status must be available or error /)
    assert.strictEqual((yield* acme.delete(`/volumes/${volume}?cascade=true`)).status, 202)
    yield* TestClock.adjust(1000)
    assert.deepStrictEqual((yield* acme.get("/snapshots")).json.snapshots, [])
    assert.strictEqual((yield* acme.get(`/volumes/${volume}`)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a volume can be extended, and only administrators reset its status", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const volume = yield* acme.volume(4)
    const act = (action: unknown) => acme.post(`/volumes/${volume}/action`, action)
    assert.strictEqual((yield* act({ "os-extend": { new_size: 8 } })).status, 400)
    yield* TestClock.adjust(1000)
    assert.strictEqual((yield* act({ "os-extend": { new_size: 4 } })).status, 400)
    assert.strictEqual((yield* act({ "os-extend": { new_size: 8 } })).status, 202)
    assert.strictEqual((yield* acme.get(`/volumes/${volume}`)).json.volume.status, "extending")
    yield* TestClock.adjust(1000)
    assert.strictEqual((yield* acme.get(`/volumes/${volume}`)).json.volume.size, 8)
    assert.strictEqual((yield* act({ "os-reset_status": { status: "error" } })).status, 403)
    assert.strictEqual((yield* act({ "os-dance": null })).status, 400)
    const control = yield* admin
    const reset = yield* control.post(`/volumes/${volume}/action`, { "os-reset_status": { status: "error" } })
    assert.strictEqual(reset.status, 202)
    assert.strictEqual((yield* acme.get(`/volumes/${volume}`)).json.volume.status, "error")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("volumes come in pages, newest first", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const ids: Array<string> = []
    for (const size of [1, 2, 3]) {
      ids.unshift(yield* acme.volume(size))
      yield* TestClock.adjust(10)
    }
    const first = yield* acme.get("/volumes?limit=2")
    const seen = first.json.volumes.map((_: { id: string }) => _.id)
    assert.deepStrictEqual(seen, ids.slice(0, 2))
    const next = new URL(first.json.volumes_links[0].href)
    assert.strictEqual(next.searchParams.get("marker"), ids[1])
    const second = yield* acme.get(`/volumes${next.search}`)
    assert.deepStrictEqual(
      second.json.volumes.map((_: { id: string }) => _.id),
      ids.slice(2)
    )
    assert.notProperty(second.json, "volumes_links")
    assert.strictEqual((yield* acme.get("/volumes?limit=x")).status, 400)
    assert.strictEqual((yield* acme.get("/volumes?marker=x")).status, 404)
    assert.strictEqual((yield* acme.get("/volumes?sort=colour")).status, 400)
    const smallest = yield* acme.get("/volumes/detail?sort=size:asc&limit=1")
    assert.strictEqual(smallest.json.volumes[0].size, 1)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
