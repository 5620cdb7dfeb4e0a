/** First and last byte, both included. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** C's `atoi`: ignores text after the digits, and reads no digits as 0. */
const numberOf = (text: string): number => Number(/^\d+/.exec(text.trim())?.[0] ?? 0)

/** The first part that a `Range` asks for. Undefined for the whole object, `impossible` for a part beyond its end. */
export const rangeOf = (header: string | undefined, size: number): Range | undefined | "impossible" => {
  const [, text] = /^bytes=([^,]*)/.exec(header ?? "") ?? []
  if (text === undefined) return undefined
  const [start = "", end = ""] = text.split("-")
  const from = start === "" && numberOf(end) > 0 ? Math.max(0, size - numberOf(end)) : numberOf(start)
  const to = start === "" || end === "" ? size - 1 : Math.min(numberOf(end), size - 1)
  return from >= size || to < from ? "impossible" : { from, to }
}
