import { Predicate, Struct } from "effect"
import { longestText, sizeOf } from "./size.ts"

type Json = Readonly<Record<string, unknown>>

/** How an answer was cut: it has `shown` of the `of` rows of a list, or lines of a text. */
export interface Cut {
  /** The path of the list or text that was cut. */
  readonly field: string
  readonly shown: number
  readonly of: number
}

export type Bounded =
  | { readonly body: Json; readonly cut: Cut | undefined }
  /** The bytes of each field, of an answer that is too long even with a single row. */
  | { readonly sizes: Readonly<Record<string, number>> }

/** The bytes that are kept free for notes about the answer. */
const room = 2_000

/**
 * The answer. When it is longer than a model should get, it is cut after a row of its largest list or a line of its
 * text.
 */
export const bounded = (body: Json, longest = longestText): Bounded => {
  const { lists, size: whole, sizes } = measured(body)
  if (whole <= longest) return { body, cut: undefined }
  const rest = longest - room
  for (const { items, path, size, sizes } of lists.toSorted((one, other) => other.size - one.size)) {
    const left = rest - (whole - size)
    // The largest comes first: without it the others leave even less.
    if (left <= 0) break
    const shown = fitting(sizes, left)
    if (shown === 0) continue
    // A cursor would skip the rows that were cut: it leads to the row after the whole page.
    const others = Struct.omit(replaced(body, path, items.slice(0, shown)), ["next_cursor", "last_cursor"])
    return { body: others, cut: { field: path.join("."), shown, of: items.length } }
  }
  const { text } = body
  if (typeof text === "string") {
    const lines = text.split("\n")
    const shown = fitting(lines.map(sizeOf), rest)
    const cut = { field: "text", shown, of: lines.length }
    if (shown > 0) return { body: { ...body, text: lines.slice(0, shown).join("\n") }, cut }
  }
  return { sizes: Object.fromEntries(sizes) }
}

/** How many leading items fit into `bytes` of JSON, by the size of each. */
const fitting = (sizes: ReadonlyArray<number>, bytes: number): number => {
  let used = 2
  const first = sizes.findIndex((size) => {
    used += size + 1
    return used > bytes
  })
  return first === -1 ? sizes.length : first
}

interface List {
  readonly path: ReadonlyArray<string>
  readonly items: ReadonlyArray<unknown>
  readonly size: number
  /** The size of each item. */
  readonly sizes: ReadonlyArray<number>
}

interface Measured {
  readonly size: number
  /** The size of each field. */
  readonly sizes: ReadonlyArray<readonly [string, number]>
  readonly lists: ReadonlyArray<List>
}

/**
 * The sizes of an object, of its fields, and of its lists and their items, without lists inside of another list. Each
 * value is written once, because a long answer takes milliseconds of the only thread.
 */
const measured = (body: Json): Measured => {
  const lists: Array<List> = []
  const total = (sizes: ReadonlyArray<number>) =>
    sizes.reduce((sum, size) => sum + size, 2 + Math.max(0, sizes.length - 1))
  const fieldsOf = (value: Json, path: ReadonlyArray<string>) =>
    Object.entries(value).map(([name, one]) => [name, sizeAt(one, [...path, name])] as const)
  const sizeOfFields = (sizes: Measured["sizes"]) => total(sizes.map(([name, size]) => sizeOf(name) + 1 + size))
  const sizeAt = (value: unknown, path: ReadonlyArray<string>): number => {
    if (Array.isArray(value)) {
      const sizes = value.map(sizeOf)
      const size = total(sizes)
      lists.push({ path, items: value, size, sizes })
      return size
    }
    return Predicate.isReadonlyObject(value) ? sizeOfFields(fieldsOf(value, path)) : sizeOf(value)
  }
  const sizes = fieldsOf(body, [])
  return { size: sizeOfFields(sizes), sizes, lists }
}

const replaced = (body: Json, [name = "", ...rest]: ReadonlyArray<string>, items: ReadonlyArray<unknown>): Json => {
  const inner = body[name]
  return {
    ...body,
    [name]: rest.length === 0 || !Predicate.isReadonlyObject(inner) ? items : replaced(inner, rest, items)
  }
}
