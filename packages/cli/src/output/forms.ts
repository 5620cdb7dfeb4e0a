import { Clock, Effect, Predicate } from "effect"
import type { Format } from "../globalFlags.ts"
import { Screen } from "../Screen.ts"
import { detailLines } from "./details.ts"
import { at, identifierOf } from "./fields.ts"
import { ink } from "./ink.ts"
import type { View } from "./View.ts"
import { harmless, harmlessJson, harmlessLines } from "./sanitize.ts"
import { columnsOf, rowOf, tableFor } from "./table.ts"
import { wordsOfValue } from "./values.ts"

/** How a form writes one value, and rows that come in batches. */
export interface Form {
  readonly one: (value: unknown) => Effect.Effect<void>
  readonly rows: (batch: ReadonlyArray<unknown>) => Effect.Effect<void>
  /** Behind the last row; `count` rows were written. */
  readonly end: (count: number) => Effect.Effect<void>
}

export interface FormOptions {
  readonly view: View
  /** Of `--fields`. */
  readonly fields: ReadonlyArray<string> | undefined
}

type Maker = (screen: Screen["Service"], options: FormOptions) => Form

const jsonParts = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*/g

const coloredJson = (text: string): string => {
  const { blue, cyan, green } = ink(true)
  return text.replaceAll(jsonParts, (part, string: string | undefined, colon: string | undefined) =>
    string === undefined ? cyan(part) : colon === undefined ? green(string) : `${blue(string)}${colon}`
  )
}

const json: Maker = ({ out, print, write }, { view }) => {
  const shown = (text: string) => {
    const safe = out.isTerminal ? harmlessJson(text) : text
    return out.colors ? coloredJson(safe) : safe
  }
  const textOf = (value: unknown, space: number) => shown(JSON.stringify(value ?? null, undefined, space))
  if (view.live === true) {
    return {
      one: (value) => print(textOf(value, 2)),
      rows: (batch) => print(batch.map((_) => textOf(_, 0)).join("\n")),
      end: () => Effect.void
    }
  }
  let begun = false
  return {
    one: (value) => print(textOf(value, 2)),
    rows: (batch) =>
      Effect.suspend(() => {
        const items = batch.map((_) => `  ${textOf(_, 2).replaceAll("\n", "\n  ")}`).join(",\n")
        const before = begun ? ",\n" : "[\n"
        begun = true
        return write(before + items)
      }),
    end: (count) => (count === 0 ? print("[]") : write("\n]\n"))
  }
}

const yaml: Maker = ({ out, write }, { view }) => {
  const text = (value: unknown) =>
    Effect.map(
      Effect.promise(() => import("yaml")),
      ({ stringify }) => {
        const options = { lineWidth: 0, aliasDuplicateObjects: false } as const
        const plain = stringify(value, options)
        // Within double quotes, what a terminal must not obey is an escape of YAML's own.
        const quoted = out.isTerminal && harmlessLines(plain) !== plain
        return quoted ? stringify(value, { ...options, defaultStringType: "QUOTE_DOUBLE" }) : plain
      }
    )
  const written = (value: unknown) => Effect.flatMap(text(value), write)
  return {
    one: written,
    rows: (batch) =>
      view.live === true
        ? Effect.forEach(batch, (_) => Effect.flatMap(text(_), (_) => write(`---\n${_}`)))
        : written(batch),
    end: (count) => (count === 0 && view.live !== true ? written([]) : Effect.void)
  }
}

const tsvEscapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" }

/** A value as one field of a line: `\\`, tabs and line breaks are escaped, null is empty, what is nested is JSON. */
export const tsvCell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = typeof value === "object" ? JSON.stringify(value) : String(value)
  return text.replaceAll(/[\\\t\n\r]/g, (_) => tsvEscapes[_] ?? _)
}

const tsv: Maker = ({ out, print }, { fields, view }) => {
  let columns = fields ?? view.columns
  const lineOf = (value: unknown) => {
    const row = rowOf(value)
    columns ??= columnsOf(row)
    const cells = columns.map((_) => tsvCell(at(row, _)))
    return (out.isTerminal ? cells.map(harmless) : cells).join("\t")
  }
  return {
    one: (value) => print(lineOf(value)),
    rows: (batch) => print(batch.map(lineOf).join("\n")),
    end: () => Effect.void
  }
}

const name: Maker = ({ print }, { fields, view }) => {
  const nameOf = (value: unknown): string => {
    const row = rowOf(value)
    const key = fields?.[0] ?? view.name ?? identifierOf(row)
    const found = key === undefined ? undefined : at(row, key)
    return typeof found === "object" ? "" : harmless(String(found ?? ""))
  }
  const lines = (values: ReadonlyArray<unknown>) => {
    const names = values.map(nameOf).filter((_) => _ !== "")
    return names.length === 0 ? Effect.void : print(names.join("\n"))
  }
  return { one: (value) => lines([value]), rows: lines, end: () => Effect.void }
}

/** Each field on a line of its own, a blank line between two rows. */
const recordsOf =
  (batch: ReadonlyArray<unknown>, keys: ReadonlyArray<string> | undefined, lines: typeof detailLines) =>
  (options: Parameters<typeof detailLines>[1]) =>
    batch
      .map((_) => {
        const row = rowOf(_)
        return lines(Object.fromEntries((keys ?? columnsOf(row)).map((key) => [key, at(row, key)])), options).join("\n")
      })
      .join("\n\n")

const table: Maker = ({ note, out, print, unicode }, { fields, view }) => {
  const columns = fields ?? view.columns
  const basis = Effect.map(Clock.currentTimeMillis, (now) => ({
    width: out.isTerminal ? out.columns() : Number.POSITIVE_INFINITY,
    colors: out.colors,
    ellipsis: unicode ? "…" : "...",
    words: { now, local: out.isTerminal, short: out.isTerminal }
  }))
  const text = fields === undefined ? view.text : undefined
  let begun: { readonly table: ReturnType<typeof tableFor> } | undefined
  const one = Effect.fnUntraced(function* (value: unknown) {
    const options = yield* basis
    const details = { ...options, words: { ...options.words, short: false } }
    if (text !== undefined) return yield* print(text(value))
    if (Predicate.isObject(value)) return yield* print(detailLines(value, details).join("\n"))
    if (value !== null && value !== undefined) yield* print(wordsOfValue("", value, details.words))
  })
  const rows = Effect.fnUntraced(function* (batch: ReadonlyArray<unknown>) {
    if (text !== undefined) return yield* print(batch.map(text).join("\n"))
    const options = yield* basis
    const isFirst = begun === undefined
    begun ??= { table: tableFor(batch, { ...options, columns, all: fields !== undefined }) }
    if (begun.table !== undefined) {
      const lines = begun.table.lines(batch)
      return yield* print([...(isFirst ? [begun.table.head] : []), ...lines].join("\n"))
    }
    yield* print((isFirst ? "" : "\n") + recordsOf(batch, columns, detailLines)(options))
  })
  return {
    one,
    rows,
    end: (count) => (count === 0 && view.live !== true ? note(harmless(view.empty ?? "Nothing found")) : Effect.void)
  }
}

export const forms: Readonly<Record<Format, Maker>> = { json, yaml, tsv, name, table }
