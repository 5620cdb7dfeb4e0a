import { type Color, ink } from "./ink.ts"

/** What a terminal can show: `{ colors: out.colors, unicode }` of `Screen`. */
export interface Look {
  readonly colors: boolean
  /** Whether the locale is UTF-8; ASCII otherwise. */
  readonly unicode: boolean
}

const plain: Look = { colors: false, unicode: true }

const partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

/** From three quarters on a bar is yellow, and from 95 % on red. */
const colorOf = (share: number): Color => (share >= 0.95 ? "red" : share >= 0.75 ? "yellow" : "green")

/**
 * A bar of a fixed width: `██████▌   `. A share that is not 0 is seen, and only
 * what is full looks full. Without an end (`of` is -1, unlimited) it is empty.
 */
export const bar = (value: number, of: number, width: number, { colors, unicode }: Look = plain): string => {
  const share = of > 0 ? Math.min(1, Math.max(0, value / of)) : of === 0 && value > 0 ? 1 : 0
  const steps = unicode ? partial.length : 1
  const all = width * steps
  const filled = share === 0 ? 0 : share === 1 ? all : Math.min(all - 1, Math.max(1, Math.round(share * all)))
  const whole = Math.floor(filled / steps)
  const drawn = (unicode ? "█" : "#").repeat(whole) + (partial[filled % steps] ?? "")
  const rest = (unicode ? "░" : "-").repeat(width - whole - (filled % steps === 0 ? 0 : 1))
  const paint = ink(colors)
  return paint[colorOf(share)](drawn) + paint.dim(rest)
}

const heights = { unicode: "▁▂▃▄▅▆▇█", ascii: "_.-=+*%#" }

/** One character a value, from 0 to the largest. A value that is not known is a gap. */
export const sparkline = (values: ReadonlyArray<number | null>, { unicode }: Look = plain): string => {
  const known = values.filter((_) => _ !== null)
  const most = Math.max(0, ...known)
  const signs = unicode ? heights.unicode : heights.ascii
  const top = signs.length - 1
  return values
    .map((_) => (_ === null ? " " : (signs[most === 0 ? 0 : Math.round((Math.max(0, _) / most) * top)] ?? "")))
    .join("")
}

const changes = { "+": "green", "-": "red", "~": "yellow" } as const

/** A line of a list of changes: what is added (+), removed (-), changed (~), or stays. */
export const diffLine = (sign: "+" | "-" | "~" | " ", text: string, { colors }: Look = plain): string => {
  const line = `${sign} ${text}`
  return sign === " " ? line : ink(colors)[changes[sign]](line)
}

/** Signs beside steps and findings. */
export const signs = ({ unicode }: Look) =>
  unicode
    ? { done: "✓", failed: "✗", skipped: "-", waiting: "·", warning: "!", ellipsis: "…", spinner: "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" }
    : { done: "+", failed: "x", skipped: "-", waiting: ".", warning: "!", ellipsis: "...", spinner: "|/-\\" }
