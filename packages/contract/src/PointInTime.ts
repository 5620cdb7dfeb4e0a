import { Schema } from "effect"

/** RFC 3339 with a zone: without one it would be a matter of opinion which moment is meant. */
const spelling = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

/** February has no 30th, and no day a 24th hour, although a lenient reader finds one. */
const isInCalendar = (text: string): boolean => {
  const local = text.slice(0, 19).toUpperCase()
  const [date, moment] = [new Date(`${local}Z`), new Date(text)]
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(local) && !Number.isNaN(moment.getTime())
}

/** A moment to which something is restored. */
export const PointInTime = Schema.String.check(
  Schema.makeFilter((text: string) => spelling.test(text) && isInCalendar(text), {
    expected: "a moment of RFC 3339 with its zone, such as 2026-01-31T12:00:00Z"
  })
).annotate({ examples: ["2026-01-31T12:00:00Z"] })
