import { assert, it } from "@effect/vitest"
import type { PermissionTier } from "@portico/contract/Access"
import { BadGateway } from "@portico/contract/Failures"
import { Effect } from "effect"
import { type By, judge, type Read } from "./judge.ts"
import { anId } from "./Spelling.ts"

const denying = (area: string, from: PermissionTier): By => ({
  who: "machine",
  tier: 2,
  denies: [{ area, from, deny: area, ou: "" }]
})

/** Reads the image with this metadata, and notes which one was read. */
const imageWith =
  (metadata: object, read: Array<string> = []): Read =>
  (segments) => {
    read.push(segments.join("/"))
    return Effect.succeed({ image: { id: anId, metadata } })
  }

const create = (imageRef: unknown, path = "servers") => ({
  method: "POST",
  path: `/compute/${path}`,
  body: { server: { name: "web", flavorRef: "1", imageRef, networks: "none" } }
})

const mapping = [{ source_type: "snapshot", snapshot_id: anId, destination_type: "volume" }]

it.effect("an image with block devices is denied with volumes, by id and by link", () =>
  Effect.gen(function* () {
    for (const metadata of [{ block_device_mapping: mapping }, { bdm_v2: "True" }, { mappings: mapping }]) {
      for (const by of [denying("volume", 0), denying("volume", 1)]) {
        for (const path of ["servers", "os-volumes_boot", "OS-Volumes_Boot", "servers.json"]) {
          for (const imageRef of [anId, `http://nova/v2.1/images/${anId}`]) {
            const read: Array<string> = []
            const outcome = yield* judge(create(imageRef, path), by, imageWith(metadata, read))
            assert.strictEqual(outcome, "policy_denied", `${path} ${imageRef}`)
            assert.deepStrictEqual(read, [`images/${anId}`])
          }
        }
      }
    }
  })
)

it.effect("any other image, and an unreadable one, creates servers", () =>
  Effect.gen(function* () {
    const by = denying("volume", 0)
    for (const metadata of [{}, { os_distro: "debian", note: "bdm_v2" }, { block_device_mapping: [], mappings: "" }]) {
      assert.strictEqual(yield* judge(create(anId), by, imageWith(metadata)), "allowed")
    }
    assert.strictEqual(yield* judge(create(anId), by, () => Effect.undefined), "allowed")
    const down: Read = () => Effect.fail(BadGateway.upstream("compute: no answer", true))
    assert.strictEqual(yield* judge(create(anId), by, down), "upstream_failed")
  })
)

it.effect("the gateway reads no image for callers without such a deny, nor for other calls", () =>
  Effect.gen(function* () {
    const read: Array<string> = []
    const devices = imageWith({ block_device_mapping: mapping }, read)
    for (const by of ["machine", "operator", denying("volume", 2), denying("image", 1)] as const) {
      assert.strictEqual(yield* judge(create(anId), by, devices), "allowed")
    }
    for (const none of ["", null, undefined, 7, "../servers", "a?b"]) {
      assert.strictEqual(yield* judge(create(none), denying("volume", 0), devices), "allowed")
    }
    const other = { ...create(anId), path: "/compute/os-keypairs" }
    assert.strictEqual(yield* judge(other, denying("volume", 0), devices), "allowed")
    assert.deepStrictEqual(read, [])
  })
)
