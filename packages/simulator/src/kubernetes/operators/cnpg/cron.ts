import { Result } from "effect"

/** When a schedule is due; times are in UTC, as the operator's container has them. */
export interface Schedule {
  /** The next moment after the given one, both in clock milliseconds; undefined when none comes within five years. */
  readonly next: (after: number) => number | undefined
}

interface Field {
  readonly name: "second" | "minute" | "hour" | "day" | "month" | "weekday"
  readonly min: number
  readonly max: number
  readonly names: ReadonlyArray<string>
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
const weekdays = "sun mon tue wed thu fri sat".split(" ")

const fields: ReadonlyArray<Field> = [
  { name: "second", min: 0, max: 59, names: [] },
  { name: "minute", min: 0, max: 59, names: [] },
  { name: "hour", min: 0, max: 23, names: [] },
  { name: "day", min: 1, max: 31, names: [] },
  { name: "month", min: 1, max: 12, names: months },
  { name: "weekday", min: 0, max: 6, names: weekdays }
]

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 0 1 1 *",
  "@annually": "0 0 0 1 1 *",
  "@monthly": "0 0 0 1 * *",
  "@weekly": "0 0 0 * * 0",
  "@daily": "0 0 0 * * *",
  "@midnight": "0 0 0 * * *",
  "@hourly": "0 0 * * * *"
}

interface Allowed {
  readonly values: ReadonlySet<number>
  /** Whether a `*` or `?` is in it, also with a step: this matters when the day is given in two ways. */
  readonly any: boolean
}

/**
 * A schedule as `robfig/cron` reads it: five or six fields with the seconds first and the day of the week last,
 * or a descriptor.
 * @returns the schedule, or the parser's message
 */
export const parseSchedule = (text: string): Result.Result<Schedule, string> => {
  const every = /^@every (\d+)(s|m|h)$/.exec(text)
  if (every !== null) return Result.succeed(spaced(Number(every[1]) * secondsOf(every[2] ?? "s") * 1000))
  const spelled = descriptors[text] ?? text
  if (spelled === "") return Result.fail("Empty spec string")
  if (spelled.startsWith("@")) return Result.fail(`Unrecognized descriptor: ${text}`)
  const words = spelled.split(/\s+/).filter((_) => _ !== "")
  if (words.length < 5 || words.length > 6) {
    return Result.fail(`Expected 5 to 6 fields, found ${words.length}: ${text}`)
  }
  return Result.map(Result.all(fields.map((field, index) => allowedOf(field, words[index] ?? "*"))), (allowed) => ({
    next: (after) => nextOf(allowed, after)
  }))
}

const secondsOf = (unit: string): number => (unit === "h" ? 3600 : unit === "m" ? 60 : 1)

const spaced = (millis: number): Schedule => ({
  next: (after) => Math.floor(after / 1000) * 1000 + Math.max(millis, 1000)
})

const allowedOf = (field: Field, word: string): Result.Result<Allowed, string> =>
  Result.map(Result.all(word.split(",").map((part) => rangeOf(field, part))), (ranges) => ({
    values: new Set(ranges.flat()),
    any: word.split(",").some((part) => /^[*?]/.test(part))
  }))

const rangeOf = (field: Field, part: string): Result.Result<ReadonlyArray<number>, string> =>
  Result.gen(function* () {
    const [range = "", step, ...more] = part.split("/")
    if (more.length > 0) return yield* Result.fail(`Too many slashes: ${part}`)
    const [first = "", last, ...rest] = range.split("-")
    if (rest.length > 0) return yield* Result.fail(`Too many hyphens: ${part}`)
    const any = first === "*" || first === "?"
    const start = any ? field.min : yield* numberOf(field, first)
    const open = any || (step !== undefined && last === undefined)
    const end = open ? field.max : last === undefined ? start : yield* numberOf(field, last)
    const stride = step === undefined ? 1 : yield* numberOf({ ...field, names: [] }, step)
    if (start < field.min) {
      return yield* Result.fail(`Beginning of range (${start}) below minimum (${field.min}): ${part}`)
    }
    if (end > field.max) return yield* Result.fail(`End of range (${end}) above maximum (${field.max}): ${part}`)
    if (start > end) return yield* Result.fail(`Beginning of range (${start}) beyond end of range (${end}): ${part}`)
    if (stride === 0) return yield* Result.fail(`Step of range should be a positive number: ${part}`)
    return Array.from({ length: Math.floor((end - start) / stride) + 1 }, (_, index) => start + index * stride)
  })

const numberOf = ({ min, names }: Field, word: string): Result.Result<number, string> => {
  const named = names.indexOf(word.toLowerCase())
  if (named >= 0) return Result.succeed(named + min)
  return /^\d+$/.test(word)
    ? Result.succeed(Number(word))
    : Result.fail(`Failed to parse int from ${word}: strconv.Atoi: parsing ${JSON.stringify(word)}: invalid syntax`)
}

const dayMillis = 86_400_000

/** Searches day by day, then for the first allowed time of the day. */
const nextOf = ([second, minute, hour, day, month, weekday]: ReadonlyArray<Allowed>, after: number) => {
  const is = (field: Allowed | undefined, value: number) => field?.values.has(value) === true
  const fits = (date: Date) => {
    const byDay = is(day, date.getUTCDate())
    const byWeekday = is(weekday, date.getUTCDay())
    // Without a star in both of them, either may match; with one, both have to.
    const either = day?.any === true || weekday?.any === true ? byDay && byWeekday : byDay || byWeekday
    return is(month, date.getUTCMonth() + 1) && either
  }
  const sorted = (field: Allowed | undefined) => [...(field?.values ?? [])].toSorted((a, b) => a - b)
  const times = { hours: sorted(hour), minutes: sorted(minute), seconds: sorted(second) }
  const today = Math.floor(after / dayMillis) * dayMillis
  // To the end of the fifth year after this one.
  const end = Date.UTC(new Date(after).getUTCFullYear() + 6)
  for (let start = today; start < end; start += dayMillis) {
    if (!fits(new Date(start))) continue
    const found = firstOf(times, start, after)
    if (found !== undefined) return found
  }
  return undefined
}

interface Times {
  readonly hours: ReadonlyArray<number>
  readonly minutes: ReadonlyArray<number>
  readonly seconds: ReadonlyArray<number>
}

const firstOf = ({ hours, minutes, seconds }: Times, start: number, after: number): number | undefined => {
  for (const hour of hours) {
    for (const minute of minutes) {
      const at = start + (hour * 60 + minute) * 60_000
      if (at + 59_000 <= after) continue
      const second = seconds.find((_) => at + _ * 1000 > after)
      if (second !== undefined) return at + second * 1000
    }
  }
  return undefined
}
