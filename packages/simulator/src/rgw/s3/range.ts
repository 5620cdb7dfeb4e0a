/** From and to, both included. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** As C reads a number: what follows the digits is overlooked, and nothing is 0. */
const numberOf = (text: string): number => Number(/^\d+/.exec(text.trim())?.[0] ?? 0)

/**
 * The part of an object that a `Range` asks for: the first of several.
 * Undefined for the whole, `impossible` for one that the object does not have.
 */
export const rangeOf = (header: string | undefined, size: number): Range | undefined | "impossible" => {
  const [, text] = /^bytes=([^,]*)/.exec(header ?? "") ?? []
  if (text === undefined) return undefined
  const [start = "", end = ""] = text.split("-")
  const from = start === "" && numberOf(end) > 0 ? Math.max(0, size - numberOf(end)) : numberOf(start)
  const to = start === "" || end === "" ? size - 1 : Math.min(numberOf(end), size - 1)
  return from >= size || to < from ? "impossible" : { from, to }
}
