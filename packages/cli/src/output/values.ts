import { Predicate } from "effect"
import { identifierOf } from "./fields.ts"
import { localTime, zonedTime } from "./localTime.ts"
import { harmless } from "./sanitize.ts"
import { sizeText } from "./sizes.ts"

/** How values become words for people. */
export interface Words {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** A terminal shows local times; a file keeps them as they are. */
  readonly local: boolean
  /** A cell of a table has little room: a time is its distance from now. */
  readonly short: boolean
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

const units = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1]
] as const

/** `3h`, `2d`: the largest unit that fits, as kubectl has ages. */
export const briefly = (seconds: number): string => {
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ["s", 1]
  return `${Math.floor(seconds / size)}${unit}`
}

const distance = (at: number, now: number): string => {
  const seconds = Math.floor(Math.abs(at - now) / 1000)
  if (seconds < 1) return "now"
  return at > now ? `in ${briefly(seconds)}` : `${briefly(seconds)} ago`
}

const month = 30 * 86_400_000

const timeWords = (text: string, { local, now, short }: Words): string => {
  const at = Date.parse(text)
  if (!local || Number.isNaN(at)) return text
  if (!short) return `${zonedTime(text)} (${distance(at, now)})`
  return Math.abs(at - now) < month ? distance(at, now) : localTime(text).slice(0, "2026-01-01".length)
}

/** `1234.50` of a number of cents; which currency it is, the row says. */
const centsWords = (cents: number): string => {
  const whole = Math.abs(Math.round(cents))
  return `${cents < 0 ? "-" : ""}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, "0")}`
}

/** The unit that the contract writes at the end of a field's name. */
const byName: ReadonlyArray<readonly [RegExp, (value: number) => string]> = [
  [/(?:^|_)cents$/, centsWords],
  [/(?:^|_)bytes$/, (_) => sizeText(_, "bytes")],
  [/(?:^|_)(?:gib|gb|gigabytes)$/, (_) => `${_} GiB`],
  [/_percent$/, (_) => `${_}%`],
  [/_seconds$/, (_) => `${_} s`],
  [/_ms$/, (_) => `${_} ms`]
]

const numberWords = (key: string, value: number): string =>
  byName.find(([name]) => name.test(key))?.[1](value) ?? String(value)

const absent = (key: string, { short }: Words): string => (key.endsWith("_at") ? "never" : short ? "-" : "none")

/** A value of a field in words, on one line. */
export const wordsOfValue = (key: string, value: unknown, words: Words): string => {
  if (value === null || value === undefined || value === "") return absent(key, words)
  if (typeof value === "string") return instant.test(value) ? timeWords(value, words) : harmless(value)
  if (typeof value === "number") return numberWords(key, value)
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value)) {
    return value.length === 0 ? absent(key, words) : value.map((_) => wordsOfValue(key, _, words)).join(", ")
  }
  if (!Predicate.isObject(value)) return harmless(String(value))
  const id = identifierOf(value)
  const name = id === undefined ? undefined : value[id]
  return typeof name === "string" ? harmless(name) : harmless(JSON.stringify(value))
}
