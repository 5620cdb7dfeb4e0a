import { Schema } from "effect"

/** RFC 3339 with a zone: a time without one would be ambiguous. */
const spelling = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/** How a moment is spelled, for the OpenAPI document. */
export const momentSchema = { type: "string", format: "date-time", pattern: spelling.source } as const

/** Rejects dates that a lenient parser accepts, such as 30 February or an hour 24. */
const isInCalendar = (text: string): boolean => {
  const local = text.slice(0, 19).toUpperCase()
  const [date, moment] = [new Date(`${local}Z`), new Date(text)]
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(local) && !Number.isNaN(moment.getTime())
}

export const PointInTime = Schema.String.annotate({
  description: "A moment of RFC 3339 with its zone, such as `2026-01-31T12:00:00Z`."
})
  .check(
    Schema.makeFilter((text: string) => spelling.test(text) && isInCalendar(text), {
      expected: "a moment of RFC 3339 with its zone, such as 2026-01-31T12:00:00Z"
    })
  )
  .annotate({ examples: ["2026-01-31T12:00:00Z"] })
