import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { bar, diffLine, sparkline } from "../../src/output/draw.ts"
import { OutputFailed, Screen } from "../../src/Screen.ts"
import { fitted, widthOf } from "../../src/output/width.ts"
import { printed } from "./screen.ts"

const colorsWith = (env: Readonly<Record<string, string>>, given: { columns?: number; colors?: boolean }) =>
  Effect.gen(function* () {
    let colors: boolean | undefined
    const looking = Effect.map(Screen, (_) => void (colors = _.out.colors))
    yield* printed(looking, { ...given, env })
    return colors
  })

describe("colours", () => {
  const terminal = { columns: 80, colors: true }
  it.effect.each([
    [{}, terminal, true],
    [{}, {}, false],
    [{ NO_COLOR: "1" }, terminal, false],
    [{ NO_COLOR: "" }, terminal, true],
    [{ CLICOLOR: "0" }, terminal, false],
    [{ TERM: "dumb" }, terminal, false],
    [{ FORCE_COLOR: "1" }, {}, true],
    [{ FORCE_COLOR: "0" }, terminal, false],
    [{ CLICOLOR_FORCE: "1" }, {}, true],
    [{ CLICOLOR_FORCE: "1", CLICOLOR: "0" }, {}, true],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, terminal, false]
  ] as const)("with %j", ([env, given, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* colorsWith(env, given), expected)
    })
  )
})

describe("the screen", () => {
  it.effect("takes ASCII where the locale is not UTF-8, by the order of POSIX", () =>
    Effect.gen(function* () {
      const unicodeWith = (env: Readonly<Record<string, string>>) =>
        Effect.gen(function* () {
          let unicode: boolean | undefined
          yield* printed(
            Effect.map(Screen, (_) => void (unicode = _.unicode)),
            { env }
          )
          return unicode
        })
      assert.isTrue(yield* unicodeWith({ LANG: "de_DE.UTF-8" }))
      assert.isTrue(yield* unicodeWith({ LC_ALL: "C.utf8", LANG: "C" }))
      assert.isFalse(yield* unicodeWith({ LC_ALL: "C", LANG: "de_DE.UTF-8" }))
      assert.isFalse(yield* unicodeWith({}))
    })
  )

  it.effect("keeps its status below what is printed, cut to the window", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* printed(
        Effect.flatMap(Screen, (_) =>
          Effect.all([_.status("waiting for a long time"), _.note("note"), _.print("result"), _.status(undefined)])
        ),
        { columns: 12 }
      )
      const line = "waiting fo…"
      const erased = "\r\u001b[2K"
      assert.strictEqual(stderr, `${erased}${line}${erased}note\n${line}${erased}${line}${erased}`)
      assert.strictEqual(stdout, "result\n")
    })
  )
})

describe("a stream that cannot be written", () => {
  it.effect("ends a command that prints, not one with messages alone", () =>
    Effect.gen(function* () {
      const ending = (use: (screen: Screen["Service"]) => Effect.Effect<void>) =>
        Effect.map(printed(Effect.flatMap(Screen, use), { columns: 80, failing: "EIO" }), (_) => _.exit)
      const ended = yield* ending((_) => _.print("result"))
      assert.isTrue(Exit.isFailure(ended) && Cause.squash(ended.cause) instanceof OutputFailed)
      assert.isTrue(Exit.isSuccess(yield* ending((_) => Effect.andThen(_.note("note"), _.status("status")))))
    })
  )
})

describe("drawings", () => {
  const ascii = { colors: false, unicode: false }

  it("of a bar have a constant width; small values are visible, and only full ones look full", () => {
    assert.deepStrictEqual(
      [0, 1, 50, 55, 999, 1000, 2000].map((_) => bar(_, 1000, 8)),
      ["░░░░░░░░", "▏░░░░░░░", "▍░░░░░░░", "▌░░░░░░░", "███████▉", "████████", "████████"]
    )
    assert.deepStrictEqual(
      [0, 500, 1000].map((_) => bar(_, 1000, 8, ascii)),
      ["--------", "####----", "########"]
    )
    assert.strictEqual(bar(5, -1, 4), "░░░░")
    assert.strictEqual(bar(0, 0, 4), "░░░░")
    for (let value = 0; value <= 100; value += 1) assert.strictEqual(widthOf(bar(value, 100, 7)), 7)
    assert.include(bar(99, 100, 8, { colors: true, unicode: true }), "\u001b[31m")
  })

  it("of values are one character each, and gaps where a value is unknown", () => {
    assert.strictEqual(sparkline([0, 1, 2, null, 7, 3.5]), "▁▂▃ █▅")
    assert.strictEqual(sparkline([0, 0]), "▁▁")
    assert.strictEqual(sparkline([0, 7], ascii), "_#")
    assert.strictEqual(sparkline([]), "")
  })

  it("of changes have a sign, and a colour", () => {
    const colored = { colors: true, unicode: true }
    assert.strictEqual(diffLine("+", "a"), "+ a")
    assert.strictEqual(diffLine("-", "a", colored), "\u001b[31m- a\u001b[39m")
    assert.strictEqual(diffLine(" ", "a", colored), "  a")
  })

  it("are cut by columns, and never within a character", () => {
    assert.strictEqual(fitted("日本語", 6), "日本語")
    assert.strictEqual(fitted("日本語x", 6), "日本…")
    assert.strictEqual(fitted("a😀b", 3), "a…")
    assert.strictEqual(fitted("abc", 2, "..."), "ab")
    assert.strictEqual(fitted("abcdef", 5, "..."), "ab...")
    for (const text of ["👨‍👩‍👧 family", "é́́ accents", "🇩🇪🇩🇪🇩🇪", "⠹ latin behind", "Ελληνικά and latin"]) {
      for (let width = 1; width < 10; width += 1) {
        assert.isAtMost(widthOf(fitted(text, width)), width, `${text} ${width}`)
        assert.isTrue(fitted(text, width).isWellFormed())
      }
    }
  })
})
