import { joined, pictographs, unseen } from "./characters.ts"

/** The members of a character class, of a recorded set. */
const membersOf = (recorded: string): string => {
  let place = 0
  const places = recorded.split(" ").map((_) => (place += Number.parseInt(_, 36)))
  return places.map((_, at) => (at % 2 === 0 ? `\\u{${_.toString(16)}}` : `-\\u{${(_ - 1).toString(16)}}`)).join("")
}

const pictograph = `[${membersOf(pictographs)}]`
const ofJoined = `[${membersOf(joined)}]`

/** Ends of texts whose last character is not seen by itself, and is a part of what is seen. */
const parts = [
  // A pictograph in colour, and the key caps.
  `(?<=${pictograph})\\ufe0f`,
  "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
  // Several pictographs that are shown as one, such as a family.
  `(?<=${pictograph}(?:\\ufe0f|\\p{Emoji_Modifier})?)\\u200d(?=${pictograph})`,
  // Spelling, such as in Persian.
  `(?<=${ofJoined})[\\u200c\\u200d](?=${ofJoined})`
].join("|")

/**
 * The source of a pattern, with the flag `u`, of what changes how its neighbours are shown, is not shown at all, or is
 * not the same everywhere: see {@link unseen}. Joiners and selectors stay where they are a part of a pictograph or of a
 * word. The sets are recorded, so that the version of Unicode in a replica, a browser or a terminal does not count.
 * Without the lookahead, which changes nothing, V8 takes ten times as long.
 */
export const hiddenCharacter = `(?![ -~])[${membersOf(unseen)}](?<!${parts})`

const hidden = new RegExp(hiddenCharacter, "u")
const everyHidden = new RegExp(hiddenCharacter, "gu")

/** Whether a person sees every character of a text, in the order in which they stand. */
export const isVisible = (text: string): boolean => !hidden.test(text)

/** Characters of ordinary texts. */
const ordinary: ReadonlySet<string> = new Set(["\n", "\t"])

/** The text with each hidden character spelled out: `\u{202e}`. Line breaks and tabs stay. */
export const spelledOut = (text: string): string =>
  hidden.test(text)
    ? text.replace(everyHidden, (found) =>
        ordinary.has(found) ? found : `\\u{${(found.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`
      )
    : text

/** The same on one line: what breaks lines becomes a space. */
export const spelledOutOnOneLine = (text: string): string =>
  spelledOut(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim())
