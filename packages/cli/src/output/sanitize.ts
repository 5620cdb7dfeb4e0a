import { hiddenCharacter } from "@portico/client/spelledOut"

/** What changes how a terminal shows its neighbours, or shows nothing at all: every escape sequence begins with one. */
const unsafe = new RegExp(hiddenCharacter, "u")

const everyUnsafe = new RegExp(unsafe.source, "gu")

/** Line breaks, tabs, and the styles that the command line itself writes. Concealed and blinking text is not among them. */
const style = "\u001b\\[(?:(?:0|1|2|3|4|7|9|2[2-79]|[34][0-79]|9[0-7]|10[0-7])(?:;(?=\\d)|(?=m)))*m"
const styledOrUnsafe = new RegExp(`${style}|[\\n\\t]|${unsafe.source}`, "gu")

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** `\u202e`, and of a character beyond the basic plane its two halves, as JSON escapes them. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/** A text from outside on one line, where everything that a terminal would obey is spelled out. */
export const harmless = (text: string): string =>
  unsafe.test(text) ? text.replaceAll(everyUnsafe, (_) => short[_] ?? escaped(_)) : text

/** The same for lines that the command line has styled: its line breaks, tabs and colours stay. */
export const harmlessLines = (text: string): string =>
  unsafe.test(text)
    ? text.replaceAll(styledOrUnsafe, (_) => (_.length > 2 || (short[_] !== undefined && _ !== "\r") ? _ : escaped(_)))
    : text

/** JSON text of which a terminal shows every character; it is the same JSON. */
export const harmlessJson = (json: string): string =>
  unsafe.test(json) ? json.replaceAll(everyUnsafe, (_) => (_ === "\n" ? _ : escaped(_))) : json
