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
  const whole = sizeOf(body)
  if (whole <= longest) return { body, cut: undefined }
  const rest = longest - room
  const found = listsIn(body).toSorted((one, other) => other.size - one.size)
  for (const { items, path, size } of found) {
    const left = rest - (whole - size)
    // The largest comes first: without it the others leave even less.
    if (left <= 0) break
    const shown = fitting(items, left)
    if (shown === 0) continue
    // A cursor would skip the rows that were cut: it leads to the row after the whole page.
    const others = Struct.omit(replaced(body, path, items.slice(0, shown)), ["next_cursor", "last_cursor"])
    return { body: others, cut: { field: path.join("."), shown, of: items.length } }
  }
  const { text } = body
  if (typeof text === "string") {
    const lines = text.split("\n")
    const shown = fitting(lines, rest)
    const cut = { field: "text", shown, of: lines.length }
    if (shown > 0) return { body: { ...body, text: lines.slice(0, shown).join("\n") }, cut }
  }
  return { sizes: Object.fromEntries(Object.entries(body).map(([name, value]) => [name, sizeOf(value)])) }
}

/** How many of the items, from the first one on, fit into so many bytes of JSON. */
const fitting = (items: ReadonlyArray<unknown>, bytes: number): number => {
  let used = 2
  const first = items.findIndex((item) => {
    used += sizeOf(item) + 1
    return used > bytes
  })
  return first === -1 ? items.length : first
}

interface List {
  readonly path: ReadonlyArray<string>
  readonly items: ReadonlyArray<unknown>
  readonly size: number
}

/** The lists of an answer, without lists inside of another list. */
const listsIn = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<List> => {
  if (Array.isArray(value)) return [{ path, items: value, size: sizeOf(value) }]
  if (!Predicate.isReadonlyObject(value)) return []
  return Object.entries(value).flatMap(([name, one]) => listsIn(one, [...path, name]))
}

const replaced = (body: Json, [name = "", ...rest]: ReadonlyArray<string>, items: ReadonlyArray<unknown>): Json => {
  const inner = body[name]
  return {
    ...body,
    [name]: rest.length === 0 || !Predicate.isReadonlyObject(inner) ? items : replaced(inner, rest, items)
  }
}
