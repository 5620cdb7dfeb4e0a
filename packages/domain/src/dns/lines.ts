/** A word of a zone file as written, without the quotes of a quoted one. */
export interface Word {
  readonly text: string
  readonly quoted: boolean
}

/** An entry: one line, or several lines within parentheses. */
export interface Entry {
  /** The number of its first line, from 1. */
  readonly line: number
  /** Whether it begins with a blank, and so continues the owner of the entry before. */
  readonly indented: boolean
  readonly words: ReadonlyArray<Word>
}

export interface Problem {
  readonly line: number
  readonly msg: string
}

/** The only characters that separate words (RFC 1035, section 5.1), whatever else Unicode calls white space. */
const blank = /[ \t]/

/** The mark of an encoding that some editors put before a text. */
const byteOrderMark = "\u{feff}"

/**
 * The entries of a zone file (RFC 1035, section 5.1). It drops comments and empty lines, keeps
 * quoted and escaped text together, and joins lines within parentheses. A line ends with CR, LF or
 * both, as in BIND.
 */
export const entriesOf = (
  text: string
): { readonly entries: ReadonlyArray<Entry>; readonly problems: ReadonlyArray<Problem> } => {
  const entries: Array<Entry> = []
  const problems: Array<Problem> = []
  let line = 1
  let begun = 1
  let indented = false
  let fresh = true
  /** The lines of the parentheses that are open. */
  const opened: Array<number> = []
  let words: Array<Word> = []

  const finish = () => {
    if (words.length > 0) entries.push({ line: begun, indented, words })
    words = []
    fresh = true
  }

  let at = text.startsWith(byteOrderMark) ? byteOrderMark.length : 0
  while (at < text.length) {
    const character = text.charAt(at)
    if (fresh) {
      begun = line
      indented = blank.test(character)
      fresh = false
    }
    if (character === "\n" || character === "\r") {
      if (opened.length === 0) finish()
      line += 1
      at += text.startsWith("\r\n", at) ? 2 : 1
    } else if (blank.test(character)) at += 1
    else if (character === ";") at = endOf(text, at)
    else if (character === "(" || character === ")") {
      if (character === "(") opened.push(line)
      else if (opened.pop() === undefined) problems.push({ line, msg: "a parenthesis that none opened" })
      at += 1
    } else {
      const read = character === '"' ? quotedAt(text, at) : plainAt(text, at)
      if (read === undefined) {
        problems.push({ line, msg: "a quote that is not closed on its line" })
        at = endOf(text, at)
      } else {
        words.push({ text: read.text, quoted: character === '"' })
        at = read.end
      }
    }
  }
  problems.push(...opened.map((line) => ({ line, msg: "a parenthesis that is never closed" })))
  finish()
  return { entries, problems }
}

const sticky = {
  quoted: /"((?:[^"\\\r\n]|\\[^\r\n])*)"/y,
  plain: /(?:[^ \t\r\n"();\\]|\\[^\r\n])+|\\/y,
  rest: /[^\r\n]*/y
} as const

const endOf = (text: string, at: number): number => {
  sticky.rest.lastIndex = at
  return at + (sticky.rest.exec(text)?.[0].length ?? 0)
}

const quotedAt = (text: string, at: number) => {
  sticky.quoted.lastIndex = at
  const [whole, inner] = sticky.quoted.exec(text) ?? []
  return whole === undefined || inner === undefined ? undefined : { text: inner, end: at + whole.length }
}

const plainAt = (text: string, at: number) => {
  sticky.plain.lastIndex = at
  const [whole = text.charAt(at)] = sticky.plain.exec(text) ?? []
  return { text: whole, end: at + whole.length }
}
