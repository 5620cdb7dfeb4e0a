import { assert, describe, it } from "@effect/vitest"
import { quoted } from "@portico/client/catalogue/shell"
import * as fc from "fast-check"
import { existsSync } from "node:fs"
import { wordsIn } from "./shells.ts"

const pieces = [
  "'",
  '"',
  "$(id)",
  "`id`",
  "$HOME",
  "\\",
  "\n",
  "\r",
  "\t",
  " ",
  "!",
  "!!",
  "~",
  "*",
  "?",
  "[a]",
  "{a,b}"
]
const more = [
  "-",
  "--",
  "=",
  "#",
  "&",
  ";",
  "|",
  "<",
  ">",
  "(",
  ")",
  "%",
  "^",
  "\u0007",
  "ä",
  "\u202e",
  "💥",
  "EOF",
  "x"
]

/** Arguments hold no NUL and no half of a surrogate pair. */
const hostile = fc.oneof(
  fc
    .array(fc.constantFrom("x", "{a,b}", "{1..3}", "=", "-", "~", ":", "%", "."), { maxLength: 3 })
    .map((_) => _.join("")),
  fc.array(fc.constantFrom(...pieces, ...more)).map((_) => _.join("")),
  fc.string({ unit: "binary" }).map((_) => _.replaceAll("\0", "").toWellFormed())
)

const shells = ["/bin/sh", "/bin/bash", "/bin/zsh", "/bin/dash"].filter((_) => existsSync(_))

describe("a quoted word", () => {
  for (const shell of shells) {
    it(`reads back unchanged in ${shell}, with any characters`, () => {
      fc.assert(
        fc.property(fc.array(hostile, { minLength: 50, maxLength: 50 }), (words) => {
          assert.deepStrictEqual(wordsIn(shell, words.map(quoted).join(" ")), words)
        }),
        { numRuns: 40 }
      )
    })
  }

  it("stays unquoted where the shell has no meaning for its characters", () => {
    assert.strictEqual(quoted("/v1/a-b_c.d:8080@x,y%2F"), "/v1/a-b_c.d:8080@x,y%2F")
    assert.strictEqual(quoted("deploy pipeline"), '"deploy pipeline"')
    assert.strictEqual(quoted("x{a,b}"), '"x{a,b}"')
    assert.strictEqual(quoted("=ls"), '"=ls"')
    assert.strictEqual(quoted(""), '""')
  })
})
