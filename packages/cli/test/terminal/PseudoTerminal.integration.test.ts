import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pseudoTerminal } from "../harness/PseudoTerminal.ts"

describe("a pseudo-terminal", () => {
  it.live("shows what a person sees, line for line", () =>
    Effect.gen(function* () {
      const script = String.raw`printf '\033[31mred\033[0m\nprogress 1\r\033[Kprogress 2\n0123456789abc\n'; test -t 0 -a -t 1 -a -t 2`
      const { exit, screen, written } = yield* pseudoTerminal(["sh", "-c", script], { columns: 10 })
      assert.strictEqual(yield* exit, 0)
      assert.strictEqual(screen(), "red\nprogress 2\n0123456789\nabc")
      assert.include(written(), "\u001B[31mred")
    })
  )

  it.live("keeps lines that were scrolled away", () =>
    Effect.gen(function* () {
      const { exit, screen, transcript } = yield* pseudoTerminal(["seq", "5000"], { rows: 3 })
      assert.strictEqual(yield* exit, 0)
      assert.strictEqual(screen(), "4999\n5000")
      assert.strictEqual(transcript().split("\n").length, 5000)
    })
  )

  it.live("passes on typed text, a new size and Ctrl-C", () =>
    Effect.gen(function* () {
      const script = "trap 'stty size' WINCH; read -r name; echo hello $name; while :; do sleep 0.02; done"
      const terminal = yield* pseudoTerminal(["bash", "-c", script])
      yield* terminal.type("world")
      yield* terminal.press("enter")
      yield* terminal.waitFor(/^hello world$/m)
      yield* terminal.resize(30, 10)
      yield* terminal.waitFor("10 30")
      yield* terminal.press("ctrl-c")
      assert.strictEqual(yield* terminal.exit, "SIGINT")
    })
  )

  it.live("gives the program a home of its own, and no variable of the tests' environment", () =>
    Effect.gen(function* () {
      const { exit, transcript } = yield* pseudoTerminal(["sh", "-c", "env"], { columns: 500, rows: 100 })
      assert.strictEqual(yield* exit, 0)
      assert.match(transcript(), /^HOME=\S+portico-home-/m)
      assert.match(transcript(), /^XDG_CONFIG_HOME=\S+portico-home-/m)
      assert.notMatch(transcript(), /VITEST/)
    })
  )

  it.live("reports the screen when the program ends before the awaited text", () =>
    Effect.gen(function* () {
      const { waitFor } = yield* pseudoTerminal(["sh", "-c", "echo something else; exit 3"])
      const exit = yield* Effect.exit(waitFor("expected"))
      assert.match(String(exit), /ended with 3, without expected in:.*something else/)
    })
  )
})
