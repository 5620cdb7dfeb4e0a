import { Predicate } from "effect"
import { type Json } from "./fields.ts"
import { ink } from "./ink.ts"
import { harmless } from "./sanitize.ts"
import { tableFor } from "./table.ts"
import { wordsOfValue, type Words } from "./values.ts"
import { padded, widthOf } from "./width.ts"

/** Values are aligned when they have this much room. */
const leastValue = 16

export interface DetailsOptions {
  readonly width: number
  readonly colors: boolean
  readonly ellipsis: string
  readonly words: Words
}

/** Lines of at most the width, broken between words. A longer word stays whole, because it may be copied. */
const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

/** Whether a value needs lines of its own. */
const isNested = (value: unknown): boolean =>
  Predicate.isObject(value)
    ? Object.keys(value).length > 0
    : Array.isArray(value) && value.some((_) => typeof _ === "object" && _ !== null)

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((_) => (_ === "" ? _ : `  ${_}`))

/** Items of a list as a table, where a table shows everything of them; otherwise each with a dash. */
const itemLines = (items: ReadonlyArray<unknown>, options: DetailsOptions): ReadonlyArray<string> => {
  const flat = items.every((_) => Predicate.isObject(_) && Object.values(_).every(isScalar))
  if (flat) {
    const columns = [...new Set(items.flatMap((_) => (Predicate.isObject(_) ? Object.keys(_) : [])))]
    const table = tableFor(items, { ...options, words: { ...options.words, short: true }, columns, all: true })
    if (table !== undefined) return [table.head, ...table.lines(items)]
  }
  return items.flatMap((item) => {
    const lines = Predicate.isObject(item)
      ? detailLines(item, { ...options, width: options.width - 2 })
      : [wordsOfValue("", item, options.words)]
    return lines.map((_, index) => (index === 0 ? `- ${_}` : `  ${_}`))
  })
}

/** The fields of an object below each other, with aligned values; what is nested is indented. */
export const detailLines = (value: Json, options: DetailsOptions): ReadonlyArray<string> => {
  const entries = Object.entries(value)
  const labels = entries.filter(([, _]) => !isNested(_)).map(([key]) => widthOf(harmless(key)) + 1)
  const widest = Math.max(0, ...labels) + 2
  // In a narrow window the values stand right behind the names, and go on below them.
  const column = options.width - widest < leastValue ? undefined : widest
  const { bold } = ink(options.colors)
  return entries.flatMap(([key, field]) => {
    const name = `${harmless(key)}:`
    if (isNested(field)) {
      const below = { ...options, width: options.width - 2 }
      return [
        bold(name),
        ...indented(Predicate.isObject(field) ? detailLines(field, below) : itemLines([field].flat(), below))
      ]
    }
    const words = wordsOfValue(key, field, options.words)
    if (column === undefined) {
      const [first = "", ...more] = wrapped(`${name} ${words}`, options.width - 2)
      return [bold(name) + first.slice(name.length), ...indented(more)]
    }
    return wrapped(words, options.width - column).map((_, index) =>
      index === 0 ? `${bold(name)}${" ".repeat(column - widthOf(name))}${_}` : `${padded("", column)}${_}`
    )
  })
}
