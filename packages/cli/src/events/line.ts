import type { Event } from "@portico/contract/Events"
import { localTime } from "../output/localTime.ts"
import { harmless } from "../output/sanitize.ts"
import { fitted, widthOf } from "../output/width.ts"
import type { Side } from "../Screen.ts"

const palette = [32, 33, 34, 35, 36, 92, 94, 96] as const

/** Text in a colour of the terminal's own, if it has any. */
export const painted = ({ colors }: Side, code: number, text: string): string =>
  colors ? `\u001b[${code}m${text}\u001b[0m` : text

/** Kinds of one family, such as `volume`, have one colour. */
export const colorOf = (kind: string): number => {
  const [family = ""] = kind.split(".")
  const sum = Array.from(family, (_) => _.codePointAt(0) ?? 0).reduce((all, one) => (all * 31 + one) % 65_521, 7)
  return palette[sum % palette.length] ?? 36
}

/** `name=value` of what is known, without what the line has already. */
const shortData = ({ data, key }: Pick<Event, "data" | "key">): string =>
  Object.entries(data)
    .filter(([, value]) => value !== null && value !== key && JSON.stringify(value) !== "{}")
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ")

/** A line that fits the terminal, of parts that are coloured or not. */
export const lineOf = (side: Side, parts: ReadonlyArray<readonly [text: string, color?: number]>): string => {
  let room = side.columns()
  const out: Array<string> = []
  for (const [text, color] of parts.filter(([text]) => text !== "")) {
    const gap = out.length === 0 ? "" : "  "
    if (room <= gap.length) break
    const shown = fitted(text, room - gap.length)
    room -= gap.length + widthOf(shown)
    out.push(gap + (color === undefined ? shown : painted(side, color, shown)))
  }
  return out.join("")
}

/** An event as one line: time, kind, key, and what its data says. */
export const eventLine = (side: Side, event: Event): string =>
  lineOf(side, [
    [localTime(event.at), 2],
    [harmless(event.kind), colorOf(event.kind)],
    [harmless(event.key)],
    [harmless(shortData(event)), 2]
  ])
