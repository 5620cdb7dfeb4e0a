import { assert, describe, it } from "@effect/vitest"
import { mostKeys } from "@portico/gateway/proxy/rules/volumeMetadata"
import { Effect } from "effect"
import { judge, type Read } from "./judge.ts"
import { anId, tenants } from "./Spelling.ts"

/** So many keys, from the given one on. */
const keys = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`key-${from + n}`, "x"]))

/** A volume or snapshot with this metadata, and what was read of it. */
const having = (metadata: object) => {
  const asked: Array<string> = []
  const read: Read = (segments) => {
    asked.push(segments.join("/"))
    const found = { metadata, volume_image_metadata: metadata }
    return Effect.succeed({ volume: found, snapshot: found })
  }
  return { asked, read }
}

type Way = readonly [method: string, path: string, body: (metadata: object) => unknown]

const adding: ReadonlyArray<Way> = [
  ["POST", `/volume/volumes/${anId}/metadata`, (metadata) => ({ metadata })],
  ["POST", `/volume/snapshots/${anId}/metadata`, (metadata) => ({ metadata })],
  ["PUT", `/volume/volumes/${anId}/metadata/key-0`, (meta) => ({ meta })],
  ["POST", `/volume/volumes/${anId}/action`, (metadata) => ({ "os-set_image_metadata": { metadata } })]
]

describe("the metadata of volumes and snapshots", () => {
  for (const [method, path, body] of adding) {
    it.effect(`has so many keys at most by ${method} ${path}, with those that are there`, () =>
      Effect.gen(function* () {
        for (const who of tenants) {
          const judged = (present: object, given: object) =>
            judge({ method, path, body: body(given) }, who, having(present).read)
          assert.strictEqual(yield* judged(keys(mostKeys - 1), keys(1, 1000)), "allowed")
          assert.strictEqual(yield* judged(keys(mostKeys), keys(1, 1000)), "ceiling_reached")
          assert.strictEqual(yield* judged(keys(mostKeys), keys(3)), "allowed", "values of keys that are there")
          assert.strictEqual(yield* judged(keys(mostKeys + 9), keys(mostKeys)), "allowed")
          assert.strictEqual(yield* judged({}, keys(mostKeys + 1)), "ceiling_reached")
        }
        assert.strictEqual(
          yield* judge({ method, path, body: body(keys(1, 1000)) }, "operator", having(keys(mostKeys)).read),
          "allowed"
        )
        const { asked, read } = having(keys(mostKeys))
        assert.strictEqual(yield* judge({ method, path, body: body({}) }, "machine", read), "allowed")
        assert.deepStrictEqual(asked, [])
      })
    )
  }

  it.effect("is set whole without a read, as Cinder bounds the body of a call", () =>
    Effect.gen(function* () {
      const { asked, read } = having(keys(mostKeys))
      const metadata = keys(mostKeys + 1)
      for (const [method, path, body] of [
        ["POST", "/volume/volumes", { volume: { size: 1, metadata } }],
        ["PUT", `/volume/volumes/${anId}`, { volume: { metadata } }],
        ["PUT", `/volume/volumes/${anId}/metadata`, { metadata }]
      ] as const) {
        assert.strictEqual(yield* judge({ method, path, body }, "machine", read), "allowed")
      }
      assert.deepStrictEqual(asked, [])
    })
  )
})
