const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39]
} as const

export type Color = keyof typeof codes

export type Ink = Readonly<Record<Color, (text: string) => string>>

const inkOf = (colors: boolean): Ink => {
  const of = (color: Color) => (text: string) =>
    colors && text !== "" ? `\u001b[${codes[color][0]}m${text}\u001b[${codes[color][1]}m` : text
  return {
    bold: of("bold"),
    dim: of("dim"),
    red: of("red"),
    green: of("green"),
    yellow: of("yellow"),
    blue: of("blue"),
    cyan: of("cyan")
  }
}

const inks = { colored: inkOf(true), plain: inkOf(false) }

/** Colours as functions of a text; without colours, the text as it is. */
export const ink = (colors: boolean): Ink => (colors ? inks.colored : inks.plain)
