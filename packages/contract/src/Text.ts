import { Schema } from "effect"
import { isVisible } from "./spelledOut.ts"

/** Lone surrogates and control characters cannot be stored or displayed in every system. */
const printable = /^[^\p{Cc}\p{Cs}]*$/u
const printableLines = /^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u

/** Blanks of other widths look like the space, or like two of it. */
const otherBlank = /(?! )\p{Zs}/u

const isPlain = (text: string): boolean => isVisible(text) && !otherBlank.test(text)

/** A pattern cannot say it in every language that reads the document, so its introduction does. */
const plain = Schema.makeFilter((text: string) => isPlain(text.replaceAll(/[\p{Cc}\p{Cs}]/gu, "")), {
  expected:
    "text without invisible, unassigned and private-use characters and without characters that change its direction, " +
    "with the space (U+0020) as the only blank"
})

/**
 * Text that people see, of at least one character: names, labels, titles and descriptions. Nobody can name a thing so
 * that it looks like another one: characters that are not shown, that are not the same everywhere, or that change the
 * order of others are refused, and blanks that are not the space. Every script can be written, and pictographs.
 *
 * @param expected names in errors what the pattern allows
 */
export const text = (longest: number, pattern: RegExp, expected: string) => shownText(longest, pattern, expected, 1)

const shownText = (longest: number, pattern: RegExp, expected: string, shortest: number) =>
  Schema.String.check(
    Schema.isMinLength(shortest),
    // What follows is asked of nothing longer: a pattern may take quadratic time.
    Schema.isMaxLength(longest).abort(),
    Schema.isPattern(pattern, { expected }),
    plain
  )

export const plainText = (longest: number) => text(longest, printable, "a string without control characters")

/** The same text under another name. */
export const line = (longest: number) => text(longest, printable, "text of one line")

/** The same of several lines. */
export const lines = (longest: number) => text(longest, printableLines, "text without control characters")

/** The same with a pattern of its own, which may be empty. */
export const optionalText = (longest: number, pattern: RegExp, expected: string) =>
  shownText(longest, pattern, expected, 0)
