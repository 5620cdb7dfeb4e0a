import { harmless } from "./sanitize.ts"

const two = (value: number): string => String(value).padStart(2, "0")

/** A moment of the API by the person's own clock: `2026-01-31 12:00:07`. */
export const localTime = (moment: string): string => {
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return harmless(moment)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** The same with the name of the zone: `2026-01-31 12:00:07 CET`. */
export const zonedTime = (moment: string): string => {
  const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" })
    .formatToParts(new Date(moment))
    .find((_) => _.type === "timeZoneName")?.value
  return `${localTime(moment)} ${zone ?? ""}`.trimEnd()
}
