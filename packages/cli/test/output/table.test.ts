import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Output } from "../../src/output/Output.ts"
import type { View } from "../../src/output/View.ts"
import { widthOf } from "../../src/output/width.ts"
import { type Given, printed } from "./screen.ts"

const databases = [
  {
    engine: "postgres",
    name: "orders",
    status: "ready",
    size_gb: 20,
    public: false,
    created_at: "2026-11-20T08:00:00.000Z",
    expires_at: null,
    used_bytes: 123_456_789,
    amount_cents: 12_345,
    labels: ["a", "b"],
    connection: { host: "orders.example", port: 5432 }
  },
  {
    engine: "kafka",
    name: "日本語の名前の長いデータベース",
    status: "failing",
    size_gb: 200,
    public: true,
    created_at: "2025-11-20T08:00:00.000Z",
    expires_at: "2026-11-25T08:00:00.000Z",
    used_bytes: 12,
    amount_cents: 5,
    labels: [],
    connection: null
  }
]

const now = Date.parse("2026-11-23T08:00:00.000Z")

const shown = (value: unknown, given: Given, view?: View) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const { stderr, stdout } = yield* printed(
      Effect.flatMap(Output, (_) => _.show(value, view)),
      given
    )
    const lines = stdout.split("\n")
    if (given.columns !== undefined) {
      for (const line of lines) assert.isAtMost(widthOf(line), given.columns, line)
    }
    return { lines: lines.slice(0, -1), stderr }
  })

const view = { columns: ["name", "engine", "status", "created_at", "size_gb", "expires_at", "labels", "public"] }

describe("a table", () => {
  it.effect("has all columns when they fit, with formatted values", () =>
    Effect.gen(function* () {
      const { lines } = yield* shown(databases, { columns: 200 }, view)
      assert.deepStrictEqual(lines, [
        "NAME                            ENGINE    STATUS   CREATED_AT  SIZE_GB  EXPIRES_AT  LABELS  PUBLIC",
        "orders                          postgres  ready    3d ago       20 GiB  never       a, b    no",
        "日本語の名前の長いデータベース  kafka     failing  2025-11-20  200 GiB  in 2d       -       yes"
      ])
    })
  )

  it.effect("leaves out the last columns when they do not fit", () =>
    Effect.gen(function* () {
      const { lines } = yield* shown(databases, { columns: 80 }, view)
      assert.deepStrictEqual(lines, [
        "NAME                            ENGINE    STATUS   CREATED_AT  SIZE_GB",
        "orders                          postgres  ready    3d ago       20 GiB",
        "日本語の名前の長いデータベース  kafka     failing  2025-11-20  200 GiB"
      ])
    })
  )

  it.effect("shrinks the widest columns, at whole characters, and never the identifier", () =>
    Effect.gen(function* () {
      const rows = [{ id: "db-0123456789", note: "日本語の名前の長いデータベース", zone: "eu" }]
      const { lines } = yield* shown(rows, { columns: 40 })
      assert.deepStrictEqual(lines, [
        "ID             NOTE                 ZONE",
        "db-0123456789  日本語の名前の長い…  eu"
      ])
    })
  )

  it.effect("becomes one field a line in a narrow window", () =>
    Effect.gen(function* () {
      const rows = databases.map(({ engine, name, status }) => ({ name, engine, status }))
      const { lines } = yield* shown(
        rows.slice(0, 1).concat({ name: "b", engine: "kafka", status: "a b c d e f g h" }),
        {
          columns: 20,
          fields: ["name", "engine", "status"]
        }
      )
      assert.deepStrictEqual(lines, [
        "name: orders",
        "engine: postgres",
        "status: ready",
        "",
        "name: b",
        "engine: kafka",
        "status: a b c d e",
        "  f g h"
      ])
    })
  )

  it.effect("has the requested fields, also nested ones", () =>
    Effect.gen(function* () {
      const { lines } = yield* shown(databases, { columns: 80, fields: ["connection.port", "name"] }, view)
      assert.deepStrictEqual(lines, [
        "CONNECTION.PORT  NAME",
        "           5432  orders",
        "              -  日本語の名前の長いデータベース"
      ])
    })
  )

  it.effect("without a view has identifiers first, then scalars, then lists", () =>
    Effect.gen(function* () {
      const rows = [{ state: "live", tags: ["x"], deep: { a: 1 }, slug: "acme", name: "Acme", project_id: "p1" }]
      const { lines } = yield* shown(rows, { columns: 80 })
      assert.deepStrictEqual(lines, ["PROJECT_ID  NAME  STATE  SLUG  TAGS", "p1          Acme  live   acme  x"])
    })
  )

  it.effect("in a file has times unchanged, and nothing is cut", () =>
    Effect.gen(function* () {
      const rows = [{ name: "n".repeat(300), at: "2026-11-20T08:00:00.000Z" }]
      const { lines } = yield* shown(rows, { output: "table" })
      assert.strictEqual(lines[1], `${"n".repeat(300)}  2026-11-20T08:00:00.000Z`)
    })
  )

  it.effect("widens its columns for later rows, while there is room", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 150 }, (_, index) => ({ id: index, state: index < 120 ? "ok" : "degraded" }))
      const { stdout } = yield* printed(
        Effect.flatMap(Output, (_) => _.rows(Stream.fromIterable(rows))),
        { columns: 20 }
      )
      assert.deepStrictEqual(stdout.split("\n").slice(100, 102), ["99  ok", "100  ok"])
      assert.include(stdout, "120  degraded\n")
    })
  )

  it.effect("without rows prints a note to a terminal alone", () =>
    Effect.gen(function* () {
      const empty = yield* shown({ databases: [], next_cursor: null }, { columns: 80 }, { empty: "No databases" })
      assert.deepStrictEqual(empty, { lines: [], stderr: "No databases\n" })
      assert.strictEqual((yield* shown([], { columns: 80, quiet: true })).stderr, "")
    })
  )
})

describe("one object", () => {
  it.effect("has its fields below each other, what is nested indented", () =>
    Effect.gen(function* () {
      const value = { ...databases[0], history: [{ at: "x", by: "y" }], parts: [{ of: { a: 1 } }, { of: { a: 2 } }] }
      const { lines } = yield* shown(value, { columns: 80, env: { LANG: "C.UTF-8" } })
      assert.deepStrictEqual(
        lines.filter((_) => !_.startsWith("created_at")),
        [
          "engine:        postgres",
          "name:          orders",
          "status:        ready",
          "size_gb:       20 GiB",
          "public:        no",
          "expires_at:    never",
          "used_bytes:    117.7 MiB",
          "amount_cents:  123.45",
          "labels:        a, b",
          "connection:",
          "  host:  orders.example",
          "  port:  5432",
          "history:",
          "  AT  BY",
          "  x   y",
          "parts:",
          "  - of:",
          "      a:  1",
          "  - of:",
          "      a:  2"
        ]
      )
      const [created = ""] = lines.filter((_) => _.startsWith("created_at"))
      assert.match(created, /^created_at: {4}2026-11-\d\d \d\d:00:00 \S+ \(3d ago\)$/)
    })
  )

  it.effect.each([20, 40, 80, 200])("is shown whole at a width of %i", (columns) =>
    Effect.gen(function* () {
      const { lines } = yield* shown(databases[0], { columns })
      const text = lines.join(" ").replaceAll(/\s+/g, " ")
      for (const part of ["orders", "20 GiB", "123.45", "5432"]) assert.include(text, part)
    })
  )

  it.effect("keeps a long word whole, because it may be copied", () =>
    Effect.gen(function* () {
      const secret = "s".repeat(60)
      const { stdout } = yield* printed(
        Effect.flatMap(Output, (_) => _.show({ secret })),
        { columns: 40 }
      )
      assert.include(stdout, secret)
    })
  )

  it.effect("is shown as its view formats it", () =>
    Effect.gen(function* () {
      const { lines } = yield* shown({ a: 1 }, { columns: 80 }, { text: () => "one\ntwo" })
      assert.deepStrictEqual(lines, ["one", "two"])
    })
  )
})
