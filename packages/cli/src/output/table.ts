import { Predicate } from "effect"
import { at, identifierOf, type Json } from "./fields.ts"
import { ink } from "./ink.ts"
import { harmless } from "./sanitize.ts"
import { wordsOfValue, type Words } from "./values.ts"
import { fitted, widthOf } from "./width.ts"

/** Between two columns. */
const gap = 2
/** A column that is not an identifier can be shrunk to this, or to its heading. */
const least = 8
/** What identifies a row is copied, and half of it is of no use: it is shrunk only when it is longer than a UUID. */
const leastIdentifier = 40

export interface TableOptions {
  /** The columns to choose from, the most important first; by the first row, when absent. */
  readonly columns: ReadonlyArray<string> | undefined
  /** Whether every one of the columns was asked for. */
  readonly all: boolean
  /** Infinity in a file. */
  readonly width: number
  readonly colors: boolean
  readonly ellipsis: string
  readonly words: Words
}

/** A row as an object: of a row that is none, its elements by their place, or `value`. */
export const rowOf = (row: unknown): Json => {
  if (Predicate.isObject(row)) return row
  if (Array.isArray(row)) return Object.fromEntries(row.map((_, index) => [`column${index + 1}`, _]))
  return { value: row }
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

const isShort = (value: unknown): boolean => isScalar(value) || (Array.isArray(value) && value.every(isScalar))

/** The fields of a row that fit into cells: its identifier, its name, its scalars, then its lists of scalars. */
export const columnsOf = (row: Json): ReadonlyArray<string> => {
  const keys = Object.keys(row)
  const leading = [identifierOf(row), "name"].filter((_) => _ !== undefined && isScalar(row[_]) && keys.includes(_))
  const scalars = keys.filter((_) => isScalar(row[_]))
  const lists = keys.filter((_) => !isScalar(row[_]) && isShort(row[_]))
  const chosen = [...leading, ...scalars, ...lists].filter((_) => _ !== undefined)
  return chosen.length === 0 ? keys : [...new Set(chosen)]
}

interface Column {
  readonly key: string
  readonly heading: string
  readonly cells: ReadonlyArray<string>
  /** What the widest cell takes. */
  readonly natural: number
  readonly least: number
  readonly right: boolean
}

const columnOf = (key: string, index: number, rows: ReadonlyArray<Json>, words: Words): Column => {
  const heading = harmless(key).toUpperCase()
  const cells = rows.map((_) => wordsOfValue(key, at(_, key), words))
  const natural = Math.max(widthOf(heading), ...cells.map(widthOf))
  const values = rows.map((_) => at(_, key)).filter((_) => _ !== null && _ !== undefined)
  return {
    key,
    heading,
    cells,
    natural,
    least: Math.min(natural, index === 0 || key.endsWith("_id") ? leastIdentifier : Math.max(least, widthOf(heading))),
    right: values.length > 0 && values.every((_) => typeof _ === "number")
  }
}

const total = (widths: ReadonlyArray<number>) =>
  widths.reduce((sum, _) => sum + _, 0) + gap * Math.max(0, widths.length - 1)

/** The widths with which the columns fit: the widest are shrunk first. Undefined when they cannot fit. */
const widthsOf = (columns: ReadonlyArray<Pick<Column, "least" | "natural">>, width: number) => {
  if (total(columns.map((_) => _.least)) > width) return undefined
  const capped = (cap: number) => columns.map((_) => Math.max(_.least, Math.min(_.natural, cap)))
  let cap = Math.max(0, ...columns.map((_) => _.natural))
  while (total(capped(cap)) > width) cap -= 1
  return capped(cap)
}

/** The columns that fit, from the most important one on; undefined when a table is of no use. */
const chosen = (columns: ReadonlyArray<Column>, { all, width }: TableOptions) => {
  for (let count = columns.length; count > 0; count -= 1) {
    const kept = columns.slice(0, count)
    const widths = widthsOf(kept, width)
    if (widths !== undefined) return { kept, widths }
    if (all || count === Math.min(2, columns.length)) return undefined
  }
  return undefined
}

const line = (cells: ReadonlyArray<{ text: string; width: number; right: boolean }>, ellipsis: string): string =>
  cells
    .map(({ right, text, width }) => {
      const shown = fitted(text, width, ellipsis)
      const space = " ".repeat(Math.max(0, width - widthOf(shown)))
      return right ? space + shown : shown + space
    })
    .join(" ".repeat(gap))
    .trimEnd()

/**
 * A table that is printed in parts: the first part decides on the columns, and
 * a later one may widen them while there is room. Undefined when the window is
 * too narrow for a table.
 */
export const tableFor = (first: ReadonlyArray<unknown>, options: TableOptions) => {
  const [head = {}] = first.map(rowOf)
  const keys = options.columns ?? columnsOf(head)
  const found = chosen(
    keys.map((key, index) => columnOf(key, index, first.map(rowOf), options.words)),
    options
  )
  if (found === undefined) return undefined
  let { widths } = found
  const shown = found.kept.map((_) => _.key)
  const right = found.kept.map((_) => _.right)
  const written = (columns: ReadonlyArray<Column>, of: (column: Column) => string) =>
    line(
      columns.map((column, index) => ({ text: of(column), width: widths[index] ?? 0, right: right[index] === true })),
      options.ellipsis
    )
  const lines = (rows: ReadonlyArray<unknown>): ReadonlyArray<string> => {
    const columns = shown.map((key, index) => columnOf(key, index, rows.map(rowOf), options.words))
    const wider = columns.map((_, index) => ({
      natural: Math.max(_.natural, widths[index] ?? 0),
      least: widths[index] ?? 0
    }))
    widths = widthsOf(wider, options.width) ?? widths
    return rows.map((_, index) => written(columns, (column) => column.cells[index] ?? ""))
  }
  return { head: ink(options.colors).bold(written(found.kept, (_) => _.heading)), lines }
}
