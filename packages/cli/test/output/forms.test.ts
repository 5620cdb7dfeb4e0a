import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Stream } from "effect"
import { stripVTControlCharacters } from "node:util"
import { parse, parseAllDocuments } from "yaml"
import { CliFailure } from "../../src/CliFailure.ts"
import { Output } from "../../src/output/Output.ts"
import type { View } from "../../src/output/View.ts"
import { type Given, printed } from "./screen.ts"

const show = (value: unknown, given: Given, view?: View) =>
  printed(
    Effect.flatMap(Output, (_) => _.show(value, view)),
    given
  )

const rows = (values: Iterable<unknown>, given: Given, view?: View) =>
  printed(
    Effect.flatMap(Output, (_) => _.rows(Stream.fromIterable(values), view)),
    given
  )

const failureOf = <A, E>(exit: Exit.Exit<A, E>): E | undefined =>
  Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined

const one = { id: "a\tb\\", note: "two\nlines", nested: { n: [1, { m: null }] }, none: null }

/** 250 rows are more than one batch. */
const many = Array.from({ length: 250 }, (_, index) => ({ ...one, index }))

describe("JSON", () => {
  it.effect("is that of JSON.stringify, of one value and of rows in batches", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* show(one, {})).stdout, `${JSON.stringify(one, undefined, 2)}\n`)
      assert.strictEqual((yield* rows(many, {})).stdout, `${JSON.stringify(many, undefined, 2)}\n`)
      assert.strictEqual((yield* rows([], {})).stdout, "[]\n")
    })
  )

  it.effect("of a page is its rows; of a body with more, the body", () =>
    Effect.gen(function* () {
      const page = { databases: [{ name: "a" }], next_cursor: null }
      assert.deepStrictEqual(JSON.parse((yield* show(page, {})).stdout), page.databases)
      const body = { rows: [1], total: 1 }
      assert.deepStrictEqual(JSON.parse((yield* show(body, {})).stdout), body)
    })
  )

  it.effect("of a live view is one object a line", () =>
    Effect.gen(function* () {
      const { stdout } = yield* rows([{ a: 1 }, { a: 2 }], {}, { live: true })
      assert.strictEqual(stdout, '{"a":1}\n{"a":2}\n')
    })
  )

  it.effect("is left unterminated when its rows break off", () =>
    Effect.gen(function* () {
      const broken = Stream.concat(
        Stream.make({ a: 1 }),
        Stream.fail(new CliFailure({ exit: "platform", message: "x" }))
      )
      const { exit, stdout } = yield* printed(
        Effect.flatMap(Output, (_) => _.rows(broken)),
        {}
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.notInclude(stdout, "]")
    })
  )

  it.effect("has colours on a terminal alone, and is the same without them", () =>
    Effect.gen(function* () {
      const { stdout } = yield* show(one, { columns: 80, colors: true, output: "json" })
      assert.include(stdout, '\u001b[34m"id"')
      assert.deepStrictEqual(JSON.parse(stripVTControlCharacters(stdout)), one)
    })
  )

  it.effect("prints nothing for an undefined result", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* show(undefined, {})).stdout, "")
    })
  )
})

describe("YAML", () => {
  it.effect("parses to the same value", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(parse((yield* show(one, { output: "yaml" })).stdout), one)
      assert.deepStrictEqual(parse((yield* rows(many, { output: "yaml" })).stdout), many)
      assert.deepStrictEqual(parse((yield* rows([], { output: "yaml" })).stdout), [])
      const live = (yield* rows([{ a: 1 }, { a: 2 }], { output: "yaml" }, { live: true })).stdout
      assert.deepStrictEqual(
        parseAllDocuments(live).map((_) => _.toJS()),
        [{ a: 1 }, { a: 2 }]
      )
    })
  )

  it.effect("escapes control characters on a terminal", () =>
    Effect.gen(function* () {
      const hostile = { name: "a\u202eb" }
      const { stdout } = yield* show(hostile, { columns: 80, output: "yaml" })
      assert.strictEqual(stdout, '"name": "a\\u202eb"\n')
      assert.deepStrictEqual(parse(stdout), hostile)
    })
  )
})

describe("TSV and names", () => {
  it.effect("of TSV: one line a row, with escapes, empty for null, JSON for nested values", () =>
    Effect.gen(function* () {
      const fields = ["id", "note", "nested.n", "none", "index"]
      const { stdout } = yield* rows(many.slice(0, 1), { output: "tsv", fields })
      assert.strictEqual(stdout, 'a\\tb\\\\\ttwo\\nlines\t[1,{"m":null}]\t\t0\n')
    })
  )

  it.effect("of names: the view's column, or the most likely identifier", () =>
    Effect.gen(function* () {
      const named = (row: object, view?: View) =>
        Effect.map(rows([row], { output: "name" }, view), (_) => _.stdout.trimEnd())
      assert.strictEqual(yield* named({ name: "n", project_id: "p", id: "i" }), "i")
      assert.strictEqual(yield* named({ name: "n", credential_id: "c", user_id: "u" }), "c")
      assert.strictEqual(yield* named({ state: "s", name: "n" }), "n")
      assert.strictEqual(yield* named({ state: "s", number: 7 }), "7")
      assert.strictEqual(yield* named({ name: "n", id: "i" }, { name: "name" }), "n")
    })
  )
})

describe("--fields", () => {
  it.effect("keeps nested fields in place, in the requested order", () =>
    Effect.gen(function* () {
      const value = { a: 1, b: { c: 2, d: 3 }, list: [{ x: 1, y: 2 }] }
      const { stdout } = yield* show(value, { fields: ["list.x", "b.c"] })
      assert.strictEqual(JSON.stringify(JSON.parse(stdout)), '{"list":[{"x":1}],"b":{"c":2}}')
    })
  )

  it.effect("with an unknown name is wrong usage, with the known names", () =>
    Effect.gen(function* () {
      const some = yield* rows([{ a: 1 }, { a: 1, b: 2 }], { fields: ["b"] })
      assert.isTrue(Exit.isSuccess(some.exit))
      const none = yield* rows([{ a: 1, b: 2 }], { fields: ["a", "c"] })
      assert.strictEqual(none.stdout, "")
      const failure = failureOf(none.exit)
      assert.deepInclude(failure, { exit: "usage", message: "There is no field 'c'", hint: "There are: a, b" })
      assert.isTrue(Exit.isSuccess((yield* rows([], { fields: ["c"] })).exit))
    })
  )
})

describe("a result with secrets shown once", () => {
  it.effect.each([{ fields: ["nothing"] }, { query: "length(nothing)" }])(
    "is printed whole with the unusable %j",
    (wish) =>
      Effect.gen(function* () {
        const minted = { credential_id: "cred-1", client_secret: "shown this once" }
        const { exit, stdout } = yield* show(minted, { output: "json", ...wish })
        assert.strictEqual(failureOf(exit)?.exit, "usage")
        assert.deepStrictEqual(JSON.parse(stdout), minted)
      })
  )
})

describe("--query", () => {
  it.effect("sees the rows of all pages, and its result has every form", () =>
    Effect.gen(function* () {
      const query = "[?index >= `248`].{at: index}"
      assert.deepStrictEqual(JSON.parse((yield* rows(many, { query })).stdout), [{ at: 248 }, { at: 249 }])
      assert.strictEqual((yield* rows(many, { query, columns: 80 })).stdout, " AT\n248\n249\n")
      assert.strictEqual((yield* rows(many, { query: "length(@)", output: "tsv" })).stdout, "250\n")
      assert.strictEqual(
        (yield* show(one, { query: "[id, none]", output: "json" })).stdout,
        '[\n  "a\\tb\\\\",\n  null\n]\n'
      )
    })
  )

  it.effect.each([
    ["a..b", 3],
    ["[?a ==", 7],
    ["a.{b:c", 7],
    ["a # b", 3],
    ["[].name]", 8]
  ] as const)("with a mistake, %s, is wrong usage, and says at which character", ([query, place]) =>
    Effect.gen(function* () {
      let asked = false
      const asking = Effect.flatMap(Output, (_) => Effect.sync(() => (asked = true)))
      const failure = failureOf((yield* printed(asking, { query })).exit)
      assert.isTrue(failure instanceof CliFailure && failure.exit === "usage")
      const message = failure instanceof CliFailure ? failure.message : ""
      assert.match(message, new RegExp(`at character ${place}\\n`))
      assert.isTrue(message.endsWith(`\n  ${query}\n  ${" ".repeat(place - 1)}^`), message)
      assert.isFalse(asked)
    })
  )

  it.effect("is wrong usage when it does not fit the value", () =>
    Effect.gen(function* () {
      const failure = failureOf((yield* show(one, { query: "length(none)" })).exit)
      assert.isTrue(failure instanceof CliFailure && failure.exit === "usage")
    })
  )
})

describe("ten thousand rows", () => {
  const row = (index: number) => ({ id: `row-${index}`, note: "n".repeat(1_000), index })

  it.effect.each(["json", "yaml", "tsv", "name", "table"] as const)(
    "as %s are never held in memory together",
    (output) =>
      Effect.gen(function* () {
        let made = 0
        let written = 0
        let ahead = 0
        const all = async function* () {
          for (; made < 10_000; made += 1) {
            ahead = Math.max(ahead, made - written)
            yield row(made)
          }
        }
        const received = Stream.fromAsyncIterable(all(), Effect.die)
        const { exit } = yield* printed(
          Effect.flatMap(Output, (_) => _.rows(received)),
          {
            output,
            columns: 80,
            onWrite: (text) => {
              written += text.match(/row-\d+/g)?.length ?? 0
            }
          }
        )
        assert.isTrue(Exit.isSuccess(exit))
        assert.strictEqual(written, 10_000)
        assert.isBelow(ahead, 1_000)
      })
  )
})
