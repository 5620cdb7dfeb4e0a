import { assert, it } from "@effect/vitest"
import { folded, stripped } from "@portico/gateway/acts/reading"
import * as fc from "fast-check"

const marks = fc.constantFrom("\u0301", "\u0323", "\u0345", "\u3099", "\uFF9E", "\u0344")
const texts = fc.array(fc.oneof(marks, fc.string({ unit: "grapheme" }), fc.constantFrom("Å", "ﬁ", "각")), {
  maxLength: 40
})

it("a name is folded like its normal form without marks", () => {
  fc.assert(
    fc.property(texts, (pieces) => {
      const name = pieces.join("")
      const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").trimEnd().toLowerCase()
      assert.strictEqual(folded(name), name.length > 510 ? undefined : plain)
    }),
    { numRuns: 500 }
  )
})

it("the blanks of Python are those of Unicode, and four control characters", () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    const text = String.fromCharCode(unit)
    const isBlank = /\p{White_Space}/u.test(text) || (unit >= 0x1c && unit <= 0x1f)
    if ((stripped(text) === "") !== isBlank) assert.fail(`U+${unit.toString(16)}`)
  }
})
