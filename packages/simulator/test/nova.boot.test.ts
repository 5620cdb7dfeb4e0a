import { assert, it } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { nova, tenant } from "./nova.ts"

const root = {
  boot_index: 0,
  source_type: "image",
  uuid: publicImageId,
  destination_type: "volume",
  volume_size: 10,
  delete_on_termination: true
}

it.effect("a server boots from a volume made from an image, which is removed with it on request", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const acme = yield* tenant("acme")
    const blank = { boot_index: -1, source_type: "blank", destination_type: "volume", volume_size: 3 }
    const id = yield* acme.server({ imageRef: "", block_device_mapping_v2: [blank, root] })
    yield* TestClock.adjust(2000)
    const { server } = (yield* acme.get(`/servers/${id}`)).json
    assert.deepStrictEqual([server.status, server.image], ["ACTIVE", ""])
    const { volumeAttachments } = (yield* acme.get(`/servers/${id}/os-volume_attachments`)).json
    assert.deepStrictEqual(
      volumeAttachments.map((_: { device: string; delete_on_termination: boolean }) => [
        _.device,
        _.delete_on_termination
      ]),
      [
        ["/dev/vda", true],
        ["/dev/vdb", false]
      ]
    )
    assert.deepStrictEqual(
      Object.values(world.cinder.volumes).map((_) => [_.size, _.bootable, _.image_id, _.project_id]),
      [
        [10, true, publicImageId, server.tenant_id],
        [3, false, null, server.tenant_id]
      ]
    )
    yield* acme.delete(`/servers/${id}`)
    yield* TestClock.adjust(4000)
    yield* (yield* SimulatedCloud).state
    assert.deepStrictEqual(
      Object.values(world.cinder.volumes).map((_) => [_.size, _.status]),
      [[3, "available"]]
    )
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the image of a volume-booted server lists snapshots, which become its servers' volumes", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const acme = yield* tenant("acme")
    const blank = { source_type: "blank", destination_type: "volume", volume_size: 3 }
    const source = yield* acme.server({ imageRef: "", block_device_mapping_v2: [root, blank] })
    yield* TestClock.adjust(4000)
    yield* acme.get("/servers")
    const { image_id } = (yield* acme.post(`/servers/${source}/action`, { createImage: { name: "golden" } })).json
    const image = world.glance.images[image_id]
    assert.deepInclude(image, { status: "active", size: 0, disk_format: "qcow2" })
    assert.strictEqual(image?.properties["bdm_v2"], "True")
    const snapshots = Object.values(world.cinder.snapshots)
    assert.deepStrictEqual(
      snapshots.map((_) => [_.name, _.size]),
      [
        ["snapshot for golden", 10],
        ["snapshot for golden", 3]
      ]
    )
    const shown = (yield* nova(acme.token, "2.1").get(`/images/${image_id}`)).json.image.metadata
    assert.deepStrictEqual(
      shown.block_device_mapping.map((_: { snapshot_id: string; device_name: string }) => [
        _.snapshot_id,
        _.device_name
      ]),
      snapshots.map((_, at) => [_.id, at === 0 ? "/dev/vda" : "/dev/vdb"])
    )
    yield* TestClock.adjust(2000)
    const copy = yield* acme.server({ imageRef: image_id })
    const volumes = Object.values(world.cinder.volumes).filter((_) => _.attachment?.server_id === copy)
    assert.deepStrictEqual(
      volumes.map((_) => [_.size, _.snapshot_id, _.attachment?.device]),
      snapshots.map((_, at) => [_.size, _.id, at === 0 ? "/dev/vda" : "/dev/vdb"])
    )
    const plain = yield* acme.server()
    yield* TestClock.adjust(2000)
    const local = (yield* acme.post(`/servers/${plain}/action`, { createImage: { name: "plain" } })).json.image_id
    assert.notProperty(world.glance.images[local]?.properties, "block_device_mapping")
    assert.lengthOf(Object.values(world.cinder.snapshots), 2)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("invalid disks are refused, and a server without space for its disk fails after its create", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const acme = yield* tenant("acme")
    const asked = (mapping: object) =>
      Effect.map(
        acme.post("/servers", {
          server: { name: "web", flavorRef: "2", networks: "none", block_device_mapping_v2: [mapping] }
        }),
        (_) => [_.status, _.json.badRequest?.message ?? ""]
      )
    const none = "00000000-0000-4000-8000-000000000000"
    for (const [mapping, why] of [
      [{ ...root, volume_size: undefined }, "need to have a non-zero size"],
      [{ ...root, uuid: none }, `failed to get image ${none}.`],
      [{ ...root, source_type: "snapshot", uuid: none }, `failed to get snapshot ${none}.`],
      [{ ...root, source_type: "volume", uuid: none }, `failed to get volume ${none}.`],
      [{ ...root, source_type: "blank", uuid: undefined, volume_size: undefined }, "need to have non-zero size"],
      [{ ...root, destination_type: "local" }, "Mapping image to local is not supported."]
    ] as const) {
      const [status, message] = yield* asked(mapping)
      assert.strictEqual(status, 400)
      assert.include(message, why)
    }
    assert.isEmpty(Object.values(world.cinder.volumes))
    const accepted = yield* acme.server({
      imageRef: "",
      block_device_mapping_v2: [{ ...root, volume_size: 1_000_000 }]
    })
    yield* TestClock.adjust(2000)
    assert.strictEqual((yield* acme.get(`/servers/${accepted}`)).json.server.status, "ERROR")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the console's log grows as the server boots, and is read from its end", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    const log = Effect.fnUntraced(function* (value: object = {}) {
      const answer = yield* acme.post(`/servers/${id}/action`, { "os-getConsoleOutput": value })
      return answer.status === 200 ? String(answer.json.output) : answer.status
    })
    assert.strictEqual(yield* log(), 409)
    yield* TestClock.adjust(2000)
    const early = String(yield* log())
    assert.include(early, "Linux version")
    assert.notInclude(early, "login:")
    yield* TestClock.adjust(10_000)
    const booted = String(yield* log())
    assert.isTrue(booted.startsWith(early))
    assert.isTrue(booted.endsWith("web login: \n"))
    // What follows the end of the last line counts, too.
    assert.strictEqual(yield* log({ length: 1 }), "")
    assert.strictEqual(yield* log({ length: "3" }), "Ubuntu 24.04 LTS\nweb login: \n")
    assert.strictEqual(yield* log({ length: null }), booted)
    yield* TestClock.adjust(1_200_000)
    const later = String(yield* log())
    assert.isTrue(later.startsWith(booted))
    assert.isAbove(later.length, booted.length)
    yield* acme.post(`/servers/${id}/action`, { "os-stop": null })
    yield* TestClock.adjust(1_200_000)
    assert.strictEqual(yield* log(), later)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
