import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, controlToken } from "./ask.ts"
import { admin, tenant } from "./cinder.ts"

const second = TestClock.adjust(1000)

it.effect("a backup is made, restored and removed, within quotas of its own", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const volume_id = yield* acme.volume(4)
    const create = (more: object = {}) => acme.post("/backups", { backup: { volume_id, name: "nightly", ...more } })
    assert.strictEqual((yield* create()).status, 400)
    yield* second
    const made = yield* create()
    assert.strictEqual(made.status, 202)
    assert.hasAllKeys(made.json.backup, ["id", "name", "links"])
    const url = `/backups/${made.json.backup.id}`
    assert.strictEqual((yield* acme.get(`/volumes/${volume_id}`)).json.volume.status, "backing-up")
    assert.strictEqual((yield* acme.delete(url)).status, 400)
    yield* second
    assert.deepInclude((yield* acme.get(url)).json.backup, { status: "available", size: 4, volume_id })
    assert.strictEqual((yield* acme.get(`/volumes/${volume_id}`)).json.volume.status, "available")
    const foreign = [
      yield* globex.get(url),
      yield* globex.delete(url),
      yield* globex.post(`${url}/restore`, { restore: {} }),
      yield* globex.post("/backups", { backup: { volume_id } })
    ]
    for (const { status } of foreign) assert.strictEqual(status, 404)
    assert.deepStrictEqual((yield* globex.get("/backups/detail?all_tenants=1")).json.backups, [])
    assert.strictEqual((yield* (yield* admin).get("/backups/detail?all_tenants=1")).json.backups.length, 1)
    const quotas = `/os-quota-sets/${acme.projectId}`
    const used = (yield* acme.get(`${quotas}?usage=True`)).json.quota_set
    assert.deepStrictEqual([used.backups.in_use, used.backup_gigabytes.in_use], [1, 4])
    yield* (yield* admin).put(quotas, { quota_set: { backups: 1 } })
    const many = yield* create()
    assert.strictEqual(
      many.json.overLimit.message,
      "BackupLimitExceeded: Maximum number of backups allowed (1) exceeded"
    )
    yield* (yield* admin).put(quotas, { quota_set: { backups: 9, backup_gigabytes: 7 } })
    const large = yield* create()
    assert.deepStrictEqual([large.status, large.headers["retry-after"]], [413, "0"])
    assert.match(large.json.overLimit.message, /^VolumeBackupSizeExceedsAvailableQuota: .* Requested 4G, quota is 7G/)
    const restored = yield* acme.post(`${url}/restore`, { restore: {} })
    assert.strictEqual(restored.status, 202)
    yield* second
    const volume = yield* acme.get(`/volumes/${restored.json.restore.volume_id}`)
    assert.deepInclude(volume.json.volume, { status: "available", size: 4 })
    assert.strictEqual((yield* acme.delete(url)).status, 202)
    yield* second
    assert.strictEqual((yield* acme.get(url)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a volume is transferred to any tenant with id and key, and counts for the new owner", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    for (const path of ["/os-volume-transfer", "/volume-transfers"]) {
      const volume_id = yield* acme.volume(4)
      yield* second
      yield* acme.post("/snapshots", { snapshot: { volume_id } })
      yield* second
      const offer = { transfer: { volume_id, name: "gift" } }
      assert.strictEqual((yield* globex.post(path, offer)).status, 404)
      const made = yield* acme.post(path, offer)
      assert.strictEqual(made.status, 202)
      const { auth_key, id } = made.json.transfer
      assert.strictEqual((yield* acme.get(`/volumes/${volume_id}`)).json.volume.status, "awaiting-transfer")
      assert.strictEqual((yield* acme.delete(`/volumes/${volume_id}`)).status, 400)
      assert.strictEqual((yield* acme.post(path, offer)).status, 400)
      assert.notProperty((yield* acme.get(`${path}/${id}`)).json.transfer, "auth_key")
      assert.strictEqual((yield* globex.get(`${path}/${id}`)).status, 404)
      assert.strictEqual((yield* globex.delete(`${path}/${id}`)).status, 404)
      assert.deepStrictEqual((yield* globex.get(`${path}/detail?all_tenants=1`)).json.transfers, [])
      const accept = (key: string) => globex.post(`${path}/${id}/accept`, { accept: { auth_key: key } })
      assert.match((yield* accept("wrong")).json.badRequest.message, /^Invalid auth key/)
      const quota = `/os-quota-sets/${globex.projectId}`
      yield* (yield* admin).put(quota, { quota_set: { gigabytes: 7, volumes: -1 } })
      assert.strictEqual((yield* accept(auth_key)).status, 413)
      yield* (yield* admin).put(quota, { quota_set: { gigabytes: 100 } })
      assert.strictEqual((yield* accept(auth_key)).status, 202)
      assert.strictEqual((yield* accept(auth_key)).status, 404)
      assert.strictEqual((yield* acme.get(`/volumes/${volume_id}`)).status, 404)
      const volume = (yield* globex.get(`/volumes/${volume_id}`)).json.volume
      assert.deepInclude(volume, { status: "available", "os-vol-tenant-attr:tenant_id": globex.projectId })
      assert.strictEqual((yield* globex.get("/snapshots")).json.snapshots.length, 1)
      yield* globex.delete(`/volumes/${volume_id}?cascade=true`)
      yield* second
    }
    const kept = yield* acme.volume(1)
    yield* second
    const made = yield* acme.post("/volume-transfers", { transfer: { volume_id: kept } })
    assert.strictEqual((yield* acme.delete(`/volume-transfers/${made.json.transfer.id}`)).status, 202)
    assert.strictEqual((yield* acme.get(`/volumes/${kept}`)).json.volume.status, "available")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("every action of a volume has its own status code, and some are for administrators", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const { world } = yield* SimulatedCloud
    world.cinder.types["fast"] = { id: "fast", name: "fast" }
    const volume = yield* acme.volume(1)
    yield* second
    const url = `/volumes/${volume}`
    const table: ReadonlyArray<readonly [object, number]> = [
      [{ "os-set_bootable": { bootable: true } }, 200],
      [{ "os-set_bootable": {} }, 400],
      [{ "os-update_readonly_flag": { readonly: "false" } }, 202],
      [{ "os-retype": { new_type: "none" } }, 404],
      [{ "os-retype": { new_type: "__DEFAULT__" } }, 400],
      [{ "os-retype": { new_type: "fast", migration_policy: "never" } }, 202],
      [{ "os-reserve": null }, 202],
      [{ "os-reserve": null }, 400],
      [{ "os-unreserve": null }, 202],
      [{ "os-attach": { instance_uuid: volume, mountpoint: "/dev/vdb" } }, 202],
      [{ "os-extend": { new_size: 2 } }, 400],
      [{ "os-begin_detaching": null }, 202],
      [{ "os-roll_detaching": null }, 202],
      [{ "os-force_detach": {} }, 403],
      [{ "os-detach": {} }, 202],
      [{ "os-volume_upload_image": {} }, 400],
      [{ "os-volume_upload_image": { image_name: "copy" } }, 202],
      [{ "os-reimage": { image_id: volume } }, 400],
      [{ "os-migrate_volume": {} }, 403],
      [{ "os-unmanage": null }, 403],
      [{ "os-force_delete": null }, 403],
      [{ "os-extend": { new_size: "2" } }, 202],
      [{ "os-extend": null, "os-detach": null }, 400]
    ]
    for (const [action, status] of table) {
      const answer = yield* acme.post(`${url}/action`, action)
      assert.strictEqual(answer.status, status, `${JSON.stringify(action)}: ${answer.body}`)
      yield* second
    }
    const shown = (yield* acme.get(url)).json.volume
    assert.deepInclude(shown, { bootable: "true", volume_type: "fast", size: 2, status: "available" })
    const images = yield* ask("GET", "/image/v2/images?name=copy", { token: acme.token })
    assert.deepInclude(images.json.images[0], { owner: acme.projectId, status: "active" })
    assert.strictEqual((yield* (yield* admin).post(`${url}/action`, { "os-force_delete": null })).status, 202)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the project may be left out of the path; one in it must be the token's and well-formed", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const volume = yield* acme.volume(1)
    const get = (path: string, token = acme.token) => ask("GET", `/volume/v3${path}`, { token })
    assert.strictEqual((yield* get(`/volumes/${volume}`)).status, 200)
    assert.strictEqual((yield* get(`/volumes/${volume}`, globex.token)).status, 404)
    assert.strictEqual((yield* get("/volumes/detail")).json.volumes.length, 1)
    const wrong = yield* get(`/${globex.projectId}/volumes`)
    assert.deepStrictEqual(wrong.json, { badRequest: { code: 400, message: "Malformed request url" } })
    assert.strictEqual((yield* get(`/${acme.projectId}/volumes`, yield* controlToken)).status, 400)
    assert.strictEqual((yield* get("/ACME/volumes")).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
