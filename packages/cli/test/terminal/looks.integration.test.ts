import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { widthOf } from "../../src/output/width.ts"
import { Everything, happens } from "../events/harness.ts"
import { type Options, porticoIn } from "../harness/PseudoTerminal.ts"

const at = Effect.fnUntraced(function* (args: ReadonlyArray<string>, { env, ...options }: Options = {}) {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  const terminal = yield* porticoIn(args, {
    ...options,
    env: { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2], ...env }
  })
  assert.strictEqual(yield* terminal.exit, 0, terminal.transcript())
  const written = terminal.written()
  return { written, lines: terminal.transcript().split("\n"), widest: Math.max(...written.split("\r\n").map(widthOf)) }
})

const escape = "\u001b"

layer(Everything, { excludeTestServices: true })("the look of output on a terminal", (it) => {
  it.effect("of a list fits the window, the most important first", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const [id] = acme.credentialIds
      const list = ["credentials", "list"]
      const narrow = yield* at(list, { columns: 30 })
      assert.deepStrictEqual(
        narrow.lines.slice(0, 3).filter((_) => !_.startsWith("cred-")),
        ["CREDENTIAL_ID      LABEL"]
      )
      assert.include(narrow.lines, `${id}  Acme 0`)
      const usual = yield* at(list, { columns: 80 })
      assert.match(usual.lines[0] ?? "", /^CREDENTIAL_ID +LABEL +KIND +TIER +STATE/)
      assert.isTrue(usual.lines.some((_) => _.startsWith(`${id}  Acme 0 `)))
      const wide = yield* at(list, { columns: 200 })
      assert.isAbove(wide.widest, 80)
      assert.deepStrictEqual([narrow.widest <= 30, usual.widest <= 80, wide.widest <= 200], [true, true, true])
    }).pipe(Effect.scoped)
  )

  it.effect("has colours, except with NO_COLOR or on a dumb terminal", () =>
    Effect.gen(function* () {
      const list = ["credentials", "list"]
      assert.include((yield* at(list)).written, escape)
      assert.notInclude((yield* at(list, { env: { NO_COLOR: "1" } })).written, escape)
      assert.notInclude((yield* at(list, { env: { TERM: "dumb" } })).written, escape)
      assert.notInclude((yield* at(["--help"], { env: { NO_COLOR: "1" } })).written, escape)
      const forced = yield* at(list, { env: { FORCE_COLOR: "1", TERM: "dumb" } })
      assert.include(forced.written, escape)
    }).pipe(Effect.scoped)
  )

  it.effect("has times of the person's own clock, and data has them in UTC", () =>
    Effect.gen(function* () {
      const { at: struck } = yield* happens({ kind: "clock.struck" })
      const options = { columns: 120, env: { TZ: "Asia/Tokyo" } }
      const tail = ["events", "tail", "--kind", "clock.struck", "--timeout-seconds", "0", "--since", "1h"]
      const [line = ""] = (yield* at(tail, options)).lines
      const there = new Date(struck).toLocaleString("sv-SE", { timeZone: "Asia/Tokyo" })
      assert.isTrue(line.startsWith(`${there}  clock.struck`), line)
      const data = yield* at([...tail, "-o", "json"], options)
      assert.include(data.written, `"${struck}"`)
      const create = ["databases", "create", "postgres", "times", "--version", "17", "--size-gb", "1"]
      const made = (yield* at([...create, "-o", "json", "--quiet"], options)).lines.join("\n")
      const { created_at } = JSON.parse(made)
      assert.match(created_at, /Z$/)
      const local = new Date(created_at).toLocaleString("sv-SE", { timeZone: "Asia/Tokyo" })
      const shown = yield* at(["databases", "show", "postgres", "times"], options)
      assert.match(shown.lines.join("\n"), new RegExp(`^created_at: +${local} GMT\\+9 \\((?:now|\\d+s ago)\\)$`, "m"))
    }).pipe(Effect.scoped)
  )

  it.effect("of an event with wide letters fits the window", () =>
    Effect.gen(function* () {
      yield* happens({ kind: "wide.letters", data: { words: "漢字".repeat(40) } })
      const tail = ["events", "tail", "--kind", "wide.letters", "--timeout-seconds", "0", "--since", "1h"]
      // Without the command to go on with, which a person copies as it is.
      const { lines, widest } = yield* at([...tail, "--quiet"], { columns: 60 })
      assert.lengthOf(lines, 1)
      assert.isAtMost(widest, 60, lines.join("\n"))
    }).pipe(Effect.scoped)
  )
})
