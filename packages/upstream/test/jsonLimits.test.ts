import { assert, describe, it } from "@effect/vitest"
import { exceededBy } from "@portico/upstream/jsonLimits"

const limits = { depth: 3, values: 5 }

const texts: Readonly<Record<string, keyof typeof limits | undefined>> = {
  "": undefined,
  "7": undefined,
  "[[[]]]": undefined,
  "[[[[]]]]": "depth",
  "[[[]],[[]]]": "values",
  "[1,2,3,4,5]": undefined,
  "[1,2,3,4,5,6]": "values",
  '{"a":1,"b":[2,3],"c":4}': undefined,
  '{"a":1,"b":[2,3],"c":4,"d":5}': "values",
  '["a,b,c,d,e,f,g","[[[[[[","\\"[,,,,,,,\\\\"]': undefined,
  '{"a,b,c,d,e,f,g":"{{{{{{{"}': undefined,
  '["\\\\",1,2,3,4,5,6]': "values",
  '["cut off,,,,,,,,,': undefined
}

describe("the limits of a JSON text", () => {
  for (const [text, expected] of Object.entries(texts)) {
    it(`${text === "" ? "nothing" : text}: ${expected ?? "within"}`, () =>
      assert.strictEqual(exceededBy(text, limits), expected))
  }
})
