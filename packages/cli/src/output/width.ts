import measured from "fast-string-truncated-width"

/** The columns that a text without control characters takes on a terminal; colours take none. */
export const widthOf = (text: string): number => measured(text).width

const escape = "\u001b"
/** Splits a text at its colours, which it keeps at the odd places. */
const styles = new RegExp(`(${escape}\\[[\\d;]*m)`)

/** Made when it is needed: it takes a while. */
let segmenter: Intl.Segmenter | undefined

const graphemesOf = (text: string): ReadonlyArray<string> => {
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), (_) => _.segment)
}

/**
 * The text, cut to a width with an ellipsis where it is wider. What a person
 * takes for one character is never cut in two. The cut of the library that
 * measures is not taken: it is too wide behind letters that are not Latin.
 */
export const fitted = (text: string, width: number, ellipsis = "…"): string => {
  if (widthOf(text) <= width) return text
  const mark = ellipsis.length <= width ? ellipsis : ""
  let left = width - mark.length
  let cut = ""
  for (const [index, part] of text.split(styles).entries()) {
    if (index % 2 === 1) cut += part
    else {
      for (const grapheme of graphemesOf(part)) {
        left -= widthOf(grapheme)
        if (left < 0) return cut + mark
        cut += grapheme
      }
    }
  }
  return cut + mark
}

/** The text with spaces behind it up to a width. */
export const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))
