import { Schema } from "effect"

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]

interface Field {
  readonly least: number
  readonly most: number
  /** Names for numbers, from `least` on. */
  readonly words: ReadonlyArray<string>
}

const field = (least: number, most: number, words: ReadonlyArray<string> = []): Field => ({ least, most, words })

const fields = [field(0, 59), field(0, 59), field(0, 23), field(1, 31), field(1, 12, months), field(0, 6, weekdays)]

const numberOf = ({ least, most, words }: Field, text: string): number | undefined => {
  const word = words.indexOf(text.toUpperCase())
  const number = word >= 0 ? least + word : /^\d{1,2}$/.test(text) ? Number(text) : undefined
  return number !== undefined && number >= least && number <= most ? number : undefined
}

/**
 * `*`, `5`, `1-5`, each also with a step, such as `*` followed by `/2`. A step
 * from one number runs to the field's end.
 */
const partOf = (of: Field, text: string): ReadonlyArray<number> | undefined => {
  const [range = "", step, ...more] = text.split("/")
  const [from = "", to, ...rest] = range.split("-")
  const width = step === undefined ? 1 : /^[1-9]\d?$/.test(step) ? Number(step) : undefined
  const first = range === "*" ? of.least : numberOf(of, from)
  const last = range === "*" ? of.most : to === undefined ? (step === undefined ? first : of.most) : numberOf(of, to)
  if (width === undefined || first === undefined || last === undefined) return undefined
  if (more.length > 0 || rest.length > 0 || first > last) return undefined
  return Array.from({ length: Math.floor((last - first) / width) + 1 }, (_, index) => first + index * width)
}

const valuesOf = (of: Field, text: string): ReadonlyArray<number> | undefined => {
  const parts = text.split(",").map((_) => partOf(of, _))
  return parts.every((_) => _ !== undefined) ? [...new Set(parts.flat())] : undefined
}

const spelled = (text: string): ReadonlyArray<string> => text.split(" ")

/** The values of each of the six fields; undefined for an invalid schedule. */
const scheduleOf = (text: string): ReadonlyArray<ReadonlyArray<number>> | undefined => {
  const parts = spelled(text)
  if (parts.length !== fields.length) return undefined
  const values = fields.map((of, index) => valuesOf(of, parts[index] ?? ""))
  return values.every((_) => _ !== undefined) ? values : undefined
}

/** How many years CloudNativePG looks ahead, beside the current one. */
const horizon = 5

/** Until 2100 the calendar repeats itself after so many years. */
const cycle = 28

/**
 * Whether a schedule always comes within the years that the operator looks ahead (robfig/cron 1.2.0, `SpecSchedule.Next`).
 * When neither the day of the month nor the weekday has a `*`, one of them is enough; otherwise the day has to be both.
 */
const happens = (text: string): boolean => {
  const [, , , days = [], inYear = [], weekdays = []] = scheduleOf(text) ?? []
  const isEither = spelled(text)
    .filter((_, index) => index === 3 || index === 5)
    .every((_) => !_.includes("*"))
  const isDue = (date: Date): boolean => {
    const [byDay, byWeekday] = [days.includes(date.getUTCDate()), weekdays.includes(date.getUTCDay())]
    return isEither ? byDay || byWeekday : byDay && byWeekday
  }
  const isIn = (year: number): boolean => inYear.some((month) => daysIn(year, month).some(isDue))
  const years = Array.from({ length: cycle + horizon }, (_, index) => isIn(2001 + index))
  return Array.from({ length: cycle }, (_, from) => years.slice(from, from + horizon)).every((_) => _.includes(true))
}

const daysIn = (year: number, month: number): ReadonlyArray<Date> =>
  Array.from(
    { length: new Date(Date.UTC(year, month, 0)).getUTCDate() },
    (_, day) => new Date(Date.UTC(year, month - 1, day + 1))
  )

const isHourly = (text: string): boolean =>
  scheduleOf(text)
    ?.slice(0, 2)
    .every((_) => _.length === 1) ?? true

/**
 * The fields are those that CloudNativePG reads. Five fields would silently mean
 * another schedule there. One base backup an hour is enough: the write-ahead log
 * holds what lies between two of them.
 */
export const BackupSchedule = Schema.String.annotate({
  description:
    "A cron expression of six fields, seconds first, in UTC: second minute hour day-of-month month weekday. At most " +
    "one backup an hour: the second and the minute are one number each. Five fields are refused."
})
  .check(
    // Each field of a longer one would be spelled out again and again.
    Schema.isMaxLength(200).abort(),
    Schema.makeFilter((text: string) => spelled(text).length === fields.length, {
      expected: "six fields with one space between them: second minute hour day-of-month month weekday"
    }),
    Schema.makeFilter((text: string) => spelled(text).length !== fields.length || scheduleOf(text) !== undefined, {
      expected:
        "six fields of numbers, ranges, lists and steps: second 0-59, minute 0-59, hour 0-23, day of the month 1-31, " +
        "month 1-12 or JAN-DEC, weekday 0-6 or SUN-SAT"
    }),
    Schema.makeFilter((text: string) => scheduleOf(text) === undefined || happens(text), {
      expected: "a schedule that comes within five years: the day must be one that the month has"
    }),
    Schema.makeFilter(isHourly, {
      expected: "at most one backup an hour: the second and the minute must be one number each"
    })
  )
  .annotate({
    identifier: "BackupSchedule",
    examples: ["0 30 2 * * *"]
  })

export const RetentionDays = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 365 }, { expected: "a whole number of days from 1 to 365" })
)

/** The default of {@link RetentionDays}. */
export const defaultRetentionDays = 30
