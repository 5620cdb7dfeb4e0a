import { assert, describe, test } from "vitest"
import { base64Of, bodyOf, emptyServer } from "../../src/compute/create/newServer.ts"
import { rateOf, startOf, summaryOf } from "../../src/compute/span.ts"

describe("a new server", () => {
  const server = { ...emptyServer, name: "web", imageId: "image-1", flavorId: "2", networkId: "net-1" }

  test("boots from its own disk, and has only what was chosen", () => {
    assert.deepStrictEqual(bodyOf(server), {
      server: { name: "web", flavorRef: "2", imageRef: "image-1", networks: [{ uuid: "net-1" }] }
    })
  })

  test("boots from a volume that goes with it, unless it is kept", () => {
    const diskOf = (keepVolume: boolean) =>
      JSON.stringify(bodyOf({ ...server, disk: "volume", size: "40", keepVolume }))
    assert.include(diskOf(false), '"volume_size":40,"delete_on_termination":true')
    assert.include(diskOf(true), '"delete_on_termination":false')
    assert.notInclude(diskOf(true), "imageRef")
  })

  test("has user data as base64 of its UTF-8", () => {
    assert.strictEqual(base64Of("#!ö€"), Buffer.from("#!ö€").toString("base64"))
  })
})

describe("a curve", () => {
  test("begins in whole steps before now, so that it is asked for once a step", () => {
    const now = Date.UTC(2026, 10, 23, 12, 0, 17)
    assert.strictEqual(startOf("hour", now), "2026-11-23T11:00:00.000Z")
    assert.strictEqual(startOf("hour", now + 12_000), "2026-11-23T11:00:00.000Z")
    assert.strictEqual(startOf("hour", now + 13_000), "2026-11-23T11:00:30.000Z")
  })

  test("is summed up by what was measured alone", () => {
    assert.deepStrictEqual(summaryOf([null, 3, 1, null]), { least: 1, most: 3, last: 1 })
    assert.isUndefined(summaryOf([null]))
  })

  test("has rates in powers of 1000", () => {
    assert.deepStrictEqual(
      [0, 999, 1000, 400_000, 2.5e12].map((_) => rateOf(_, String)),
      ["0 B/s", "999 B/s", "1 kB/s", "400 kB/s", "2500 GB/s"]
    )
  })
})
