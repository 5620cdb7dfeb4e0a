import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { harmless, harmlessJson, harmlessLines } from "../../src/output/sanitize.ts"
import { Output } from "../../src/output/Output.ts"
import { Screen } from "../../src/Screen.ts"
import { printed } from "./screen.ts"

/** Names as a hostile tenant would choose them, and as they are shown. */
const hostile: ReadonlyArray<readonly [string, string]> = [
  ["\u001b[2Jcleared", "\\u001b[2Jcleared"],
  ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
  ["\u001b]8;;https://x\u001b\\link", "\\u001b]8;;https://x\\u001b\\link"],
  ["c1\u009b31m\u0090\u0085", "c1\\u009b31m\\u0090\\u0085"],
  ["bell\u0007null\0delete\u007f", "bell\\u0007null\\u0000delete\\u007f"],
  ["over\rwritten\n\tnext", "over\\rwritten\\n\\tnext"],
  ["exe\u202egpj.txt", "exe\\u202egpj.txt"],
  ["isolate\u2066\u2069mark\u200f\u061c", "isolate\\u2066\\u2069mark\\u200f\\u061c"],
  ["zero\u200b\u200d\u2060\ufeffwidth", "zero\\u200b\\u200d\\u2060\\ufeffwidth"],
  ["lines\u2028\u2029", "lines\\u2028\\u2029"],
  ["half\ud83d and \ude00", "half\\ud83d and \\ude00"],
  ["tag\u{e0041}", "tag\\udb40\\udc41"],
  ["annotated\ufff9\ufffb", "annotated\\ufff9\\ufffb"],
  ["soft\u00adhyphen\u3164filler", "soft\\u00adhyphen\\u3164filler"]
]

const control = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

describe("a hostile name", () => {
  it.each(hostile)("%j is escaped", (name, shown) => {
    assert.strictEqual(harmless(name), shown)
  })

  it("stays as it is when it is harmless: other scripts, accents, pictographs", () => {
    for (const name of ["Grüße", "日本語", "עברית", "نص", "😀", "❤️", "a\\b"]) assert.strictEqual(harmless(name), name)
  })

  it("stays the same JSON", () => {
    for (const [name] of hostile) {
      const json = harmlessJson(JSON.stringify({ [name]: name }, undefined, 2))
      assert.deepStrictEqual(JSON.parse(json), { [name]: name })
      assert.notMatch(json.replaceAll(/[\n\t]/g, ""), control)
    }
  })

  it("in our own lines keeps our colours, and no hidden text", () => {
    const ours = "\u001b[1;31mred\u001b[0m\n\tnext"
    assert.strictEqual(harmlessLines(ours), ours)
    assert.strictEqual(harmlessLines("\u001b[8m\u001b[2J\u001b[1;8m\r"), "\\u001b[8m\\u001b[2J\\u001b[1;8m\\u000d")
  })

  it.effect.each(["table", "json", "yaml", "tsv", "name"] as const)("is escaped on a terminal as %s", (output) =>
    Effect.gen(function* () {
      const rows = hostile.map(([name]) => ({
        id: name,
        [name]: name,
        deep: { [name]: [{ [name]: { [name]: name } }] }
      }))
      const { stdout } = yield* printed(
        Effect.flatMap(Output, (_) =>
          Effect.andThen(
            _.show(rows),
            Effect.forEach(rows, (row) => _.show(row))
          )
        ),
        { columns: 200, output }
      )
      assert.isNotEmpty(stdout)
      assert.notMatch(stdout.replaceAll(/[\n\t]/g, ""), control)
    })
  )

  it.effect("is escaped on a terminal in a sentence and a status", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* printed(
        Effect.flatMap(Screen, (_) =>
          Effect.forEach(hostile, ([name]) => Effect.all([_.note(name), _.print(name), _.status(name)]))
        ),
        { columns: 80 }
      )
      assert.notMatch((stdout + stderr).replaceAll("\r\u001b[2K", "").replaceAll(/[\n\t]/g, ""), control)
    })
  )
})
