import { assert, describe, it } from "@effect/vitest"
import { imagesWithoutLocations } from "@portico/gateway/proxy/treatment"
import { ImageStream } from "@portico/gateway/proxy/imageStream"
import * as fc from "fast-check"

const hidden = new Set(["locations", "direct_url"])
const link = (_: string) => _.replace(/^\/v2\//, "/v1/iaas/image/")
const pages = new Map([
  ["first", link],
  ["next", link]
])

/** What comes out, whatever the pieces are that it comes in; undefined where it is refused. */
const streamed = (text: string, sizes: ReadonlyArray<number>): string | undefined => {
  const images = new ImageStream(hidden, pages)
  const bytes = Buffer.from(text)
  const out: Array<Buffer> = []
  let at = 0
  for (let nth = 0; at < bytes.length; nth += 1) {
    const end = at + (sizes[nth % sizes.length] ?? 1)
    const piece = images.push(bytes.subarray(at, end))
    if (piece === undefined) return undefined
    out.push(piece)
    at = end
  }
  return images.isWhole ? Buffer.concat(out).toString() : undefined
}

const whole = (text: string): unknown =>
  JSON.parse(
    Buffer.from(
      imagesWithoutLocations(Buffer.from(text).toString("latin1"), "/v1/iaas/image/") ?? "",
      "latin1"
    ).toString()
  )

const key = fc.oneof(
  fc.constantFrom("locations", "direct_url", "images", "first", "next", "id", "metadata"),
  fc.string({ unit: "grapheme", maxLength: 6 })
)
const value = fc.oneof(
  { depthSize: "small" },
  fc.constantFrom("/v2/images?marker=a", 'a "quoted" \\ one', "}{][,:"),
  fc.string({ unit: "grapheme" }),
  fc.jsonValue({ maxDepth: 3 })
)
const object = fc.dictionary(key, value)
const answer = fc.oneof(
  object,
  fc
    .tuple(object, fc.array(fc.oneof({ weight: 4, arbitrary: object }, { weight: 1, arbitrary: fc.jsonValue() })))
    .map(([rest, images]) => ({ ...rest, images, next: "/v2/images?marker=b" }))
)
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })

describe("streamed images", () => {
  it("equal a change of the whole text, in any pieces and spellings", () => {
    fc.assert(
      fc.property(answer, sizes, fc.constantFrom(undefined, 1, "\t"), (answer, sizes, space) => {
        const text = JSON.stringify(answer, undefined, space)
        const out = streamed(text, sizes)
        assert.isDefined(out, text)
        assert.deepStrictEqual(JSON.parse(out), whole(text), text)
      }),
      { numRuns: 500 }
    )
  })

  const spelled: Readonly<Record<string, readonly [string, string]>> = {
    "a name is spelled with escapes": [String.raw`{"\u006cocations":[1],"id":"a"}`, `{"id":"a"}`],
    "it is the only member": [`{ "locations" : [{"url":"rbd://a"}] }`, `{}`],
    "it stands first, in the middle and last": [
      `{"images":[{"direct_url":"a","id":1,"locations":[{"locations":2}],"b":{"locations":3},"direct_url":4}]}`,
      `{"images":[{"id":1,"b":{"locations":3}}]}`
    ],
    "a list of images comes twice": [`{"images":[{"locations":1}],"images":[{"locations":2}]}`, `{"images":[{}]}`],
    "it is not hidden there": [`{"a":{"images":[{"locations":1}]}}`, `{"a":{"images":[{"locations":1}]}}`]
  }
  for (const [what, [text, expected]] of Object.entries(spelled)) {
    it(`hide their location where ${what}`, () => {
      for (const size of [1, 2, 3, 1000]) {
        assert.deepStrictEqual(JSON.parse(streamed(text, [size]) ?? "null"), JSON.parse(expected))
      }
    })
  }

  for (const text of ["", "{", `{"a":"`, `{"a":1`, `{"a":1}}`, `{"images":[{]}`, `{}{}`, `{{"locations":1}}`]) {
    it(`are refused if the JSON is malformed: ${text}`, () => {
      for (const size of [1, 1000]) assert.isUndefined(streamed(text, [size]))
    })
  }
})
