import { writeFileSync } from "node:fs"

/**
 * Writes packages/contract/src/characters.ts, the sets of characters by which the rule on text that people see decides,
 * from the version of Unicode that this Node has: `npx node scripts/characters.ts`. A test compares the two.
 */

/** Blanks and placeholders that Unicode counts as symbols or letters. */
const blanks = [
  "\\u2800", // Braille, no dot
  "\\ufffc", // in place of something that is no text
  "\\u{13441}\\u{13442}", // Egyptian hieroglyphs, full and half
  "\\u{16fe4}", // Khitan small script, filler
  "\\u{1d159}" // musical symbols, no note
].join("")

/**
 * Scripts whose words need joiners: a zero-width non-joiner in Persian and a joiner in Sinhala are spelling (RFC 5892,
 * appendix A; UAX #31, section 2.3). Marks count by the scripts that they are used with.
 */
const scripts =
  "Arabic Syriac Nko Mongolian Adlam Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala " +
  "Khmer Myanmar Tibetan"

const sets = {
  unseen: {
    what: [
      "What is not shown, or not the same everywhere, or changes how its neighbours are shown: control and format",
      "characters, line and paragraph separators, all that is default-ignorable, blanks that count as symbols or letters,",
      "halves of surrogate pairs, private use, and what has no character, except the places kept for pictographs."
    ],
    pattern: `(?!\\p{Extended_Pictographic})[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}${blanks}]`
  },
  pictographs: {
    what: ["Pictographs, with the places that are kept for later ones."],
    pattern: "\\p{Extended_Pictographic}"
  },
  joined: {
    what: ["Letters and marks of the scripts whose words need joiners."],
    pattern: `[${scripts
      .split(" ")
      .map((_) => `\\p{Script_Extensions=${_}}`)
      .join("")}]`
  }
}

/** The beginnings of the ranges of the set and of those between them, each as its distance from the one before. */
const recorded = (pattern: string): string => {
  const one = new RegExp(pattern, "u")
  const borders: Array<number> = []
  for (let code = 0; code <= 0x110000; code++) {
    const isIn = code < 0x110000 && one.test(String.fromCodePoint(code))
    if (isIn !== (borders.length % 2 === 1)) borders.push(code)
  }
  return borders.map((_, at) => (_ - (borders[at - 1] ?? 0)).toString(36)).join(" ")
}

const written = Object.entries(sets).map(
  ([name, { pattern, what }]) => `
/**
${what.map((_) => ` * ${_}\n`).join("")} */
export const ${name} =
  "${recorded(pattern)}"
`
)

export const charactersModule = `/**
 * Sets of the characters of Unicode ${process.versions["unicode"]}: where their ranges begin and end, each place as its distance from the one
 * before, in base 36. \`npx node scripts/characters.ts\` writes this file.
 */
${written.join("")}`

if (import.meta.main) {
  writeFileSync(new URL("../packages/contract/src/characters.ts", import.meta.url), charactersModule)
}
