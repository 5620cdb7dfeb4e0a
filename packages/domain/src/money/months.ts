import { DateTime } from "effect"

/** A calendar month in UTC: half-open, in milliseconds since the epoch. */
export interface Month {
  /** Such as `2026-01`. */
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The month of a moment, in milliseconds since the epoch. */
export const monthOf = (at: number): Month => {
  const start = DateTime.startOf(DateTime.makeUnsafe(at), "month")
  return {
    name: isoOf(DateTime.toEpochMillis(start)).slice(0, 7),
    start: DateTime.toEpochMillis(start),
    end: DateTime.toEpochMillis(DateTime.add(start, { months: 1 }))
  }
}

/** @param name such as `2026-01` */
export const monthNamed = (name: string): Month =>
  monthOf(DateTime.toEpochMillis(DateTime.makeUnsafe(`${name}-01T00:00:00Z`)))

export const monthBefore = ({ start }: Month): Month => monthOf(start - 1)

/** ISO 8601 in UTC, with milliseconds. */
export const isoOf = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))
