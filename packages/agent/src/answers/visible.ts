/**
 * Characters that a person cannot see, or that change the order of visible ones: control and format characters (with
 * zero-width, bidirectional and tag characters), the variation selectors that no writing system needs, blank fillers,
 * line separators and lone surrogates. New lines and tabs are ordinary text.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0\u{E0000}-\u{E0FFF}]/gu

const ordinary = new Set(["\n", "\t"])

/** The text with its invisible characters spelled out: `\u{202e}`. */
export const visibleText = (text: string): string =>
  text.replace(hidden, (found) =>
    ordinary.has(found) ? found : `\\u{${(found.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`
  )

/** {@link visibleText} of every string in a JSON value, names of fields included. */
export function visible(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
export function visible(value: unknown): unknown
export function visible(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value)
  if (Array.isArray(value)) return value.map((_) => visible(_))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visibleText(name), visible(one)]))
}
