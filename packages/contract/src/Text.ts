import { Schema } from "effect"

/** Text of at least one character. `expected` names in errors what the pattern allows. */
export const text = (longest: number, pattern: RegExp, expected: string) =>
  Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longest), Schema.isPattern(pattern, { expected }))

/** Lone surrogates and control characters cannot be stored or displayed in every system. */
const printable = /^[^\p{Cc}\p{Cs}]*$/u

export const plainText = (longest: number) =>
  text(longest, printable, "a string without control characters").annotate({
    description: `1 to ${longest} characters without control characters.`
  })

/** The same text under another name. */
export const line = (longest: number) => text(longest, printable, "text of one line")
