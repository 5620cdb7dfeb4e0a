import { Option } from "effect"

/** What the operator takes as PostgreSQL's form: it checks no calendar, and hands the text on as it is. */
const postgresForm = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d(?::\d\d){0,2})?)?$/

/** RFC 3339, whose zone may be missing. */
const internetForm = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/

const isInCalendar = (date: string, time: string): boolean =>
  Option.exists(isoOf(`${date}T${time}Z`), (_) => _.startsWith(`${date}T${time}`))

const isoOf = (text: string): Option.Option<string> => {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? Option.none() : Option.some(date.toISOString())
}

/** Whether the operator's webhook takes a `targetTime` (`ParseTargetTime` of its machinery). */
export const isTargetTime = (text: string): boolean => {
  const [, date = "", time = ""] = internetForm.exec(text) ?? []
  return postgresForm.test(text) || isInCalendar(date, time)
}

/**
 * What the operator makes of a `targetTime` for PostgreSQL (`ConvertToPostgresFormat` of its machinery): RFC 3339 with a
 * zone becomes PostgreSQL's form, with a `Z` when the zone is UTC; every other text stays.
 */
export const renderedTarget = (text: string): string => {
  const [, date, time, fraction = "", zone] = internetForm.exec(text) ?? []
  if (zone === undefined) return text
  return `${date} ${time}.${fraction.slice(1, 7).padEnd(6, "0")}${/^[+-]00:00$/.test(zone) ? "Z" : zone}`
}

/**
 * The moment at which PostgreSQL ends a recovery with this `targetTime`, in clock milliseconds; a time without a zone is
 * UTC. None when it refuses `recovery_target_time`, which takes no name of a time zone, not even `Z`.
 */
export const targetMoment = (text: string): Option.Option<number> => {
  const rendered = renderedTarget(text)
  const [, date = "", time = "00:00:00", fraction = "", zone = "+00"] =
    postgresForm.exec(rendered) ?? internetForm.exec(rendered) ?? []
  if (zone === "Z" || !isInCalendar(date, time)) return Option.none()
  const [hours = "", minutes = "00", seconds = "00"] = zone.slice(1).split(":")
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  const limit = 16 * 3600 * 1000
  if (offset >= limit || Number(minutes) > 59 || Number(seconds) > 59) return Option.none()
  return Option.some(Date.parse(`${date}T${time}${fraction.slice(0, 4)}Z`) + (zone.startsWith("-") ? offset : -offset))
}
