import { assert, describe, it } from "@effect/vitest"
import { mostKeys, volumeMetadata } from "@portico/gateway/proxy/rules/volumeMetadata"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type By, judge as judgeBy, type Read } from "./judge.ts"
import { anId, type Spelling, tenants, type Who } from "./Spelling.ts"

/** So many keys, from the given one on. */
const keys = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`key-${from + n}`, "x"]))

/** A volume or snapshot with this metadata, and what was read of it. */
const having = (metadata: object) => {
  const asked: Array<string> = []
  const read: Read = (segments) => {
    asked.push(segments.join("/"))
    const found = { id: segments[1]?.toLowerCase(), metadata, volume_image_metadata: metadata }
    return Effect.succeed({ volume: found, snapshot: found })
  }
  return { asked, read }
}

/** Asked in a gateway of its own, unless the calls follow each other. */
const judge = (call: Pick<Spelling, "body" | "method" | "path">, who: Who | By, read: Read, rule = volumeMetadata()) =>
  judgeBy(call, who, read, [rule])

type Way = readonly [method: string, path: string, body: (metadata: object) => unknown]

const adding: ReadonlyArray<Way> = [
  ["POST", `/volume/volumes/${anId}/metadata`, (metadata) => ({ metadata })],
  ["POST", `/volume/snapshots/${anId}/metadata`, (metadata) => ({ metadata })],
  ["PUT", `/volume/volumes/${anId}/metadata/key-0`, (meta) => ({ meta })],
  ["POST", `/volume/volumes/${anId}/action`, (metadata) => ({ "os-set_image_metadata": { metadata } })]
]

describe("the metadata of volumes and snapshots", () => {
  for (const [method, path, body] of adding) {
    it.effect(`is limited in keys by ${method} ${path}, including existing ones`, () =>
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

    it.effect(`is limited for concurrent calls that add to it by ${method} ${path}`, () =>
      Effect.gen(function* () {
        const rule = volumeMetadata()
        const added = (given: object, way = path) =>
          judge({ method, path: way, body: body(given) }, "machine", having(keys(mostKeys - 4)).read, rule)
        const both = yield* Effect.all([added(keys(3, 1000)), added(keys(3, 2000))], { concurrency: "unbounded" })
        assert.deepStrictEqual(both, ["allowed", "ceiling_reached"])
        assert.strictEqual(yield* added(keys(3, 1000)), "allowed", "the same again")
        assert.strictEqual(yield* added(keys(3, 2000), path.replace(anId, anId.toUpperCase())), "ceiling_reached")
        assert.strictEqual(yield* added(keys(3, 2000), path.replace(anId, "another")), "allowed", "another one's")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(
          yield* added(keys(3, 2000)),
          "allowed",
          "a minute later, the first call has ended and added nothing"
        )
      })
    )
  }

  it.effect("is not counted for a missing volume, or for a key that Cinder refuses", () =>
    Effect.gen(function* () {
      const rule = volumeMetadata()
      const path = `/volume/volumes/${anId}/metadata`
      const added = (metadata: object, read: Read) =>
        judge({ method: "POST", path, body: { metadata } }, "machine", read, rule)
      const present = having(keys(mostKeys - 1)).read
      assert.strictEqual(yield* added(keys(mostKeys), () => Effect.undefined), "allowed")
      assert.strictEqual(yield* added({ ["x".repeat(511)]: "x" }, present), "allowed")
      assert.strictEqual(yield* added(keys(1, 1000), present), "allowed", "none of them is remembered")
      const wide = "\u{10000}".repeat(255)
      assert.strictEqual(yield* added({ [wide]: "x" }, having(keys(mostKeys)).read), "ceiling_reached")
    })
  )

  it.effect("is set as a whole without a read, as Cinder limits the body", () =>
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
