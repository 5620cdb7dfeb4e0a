import { Effect } from "effect"
import { signs } from "../../output/draw.ts"
import { type Color, ink } from "../../output/ink.ts"
import { harmless } from "../../output/sanitize.ts"
import { padded, widthOf } from "../../output/width.ts"
import { Screen } from "../../Screen.ts"

/** The two forms of a drawing on one of the streams. */
export interface Style {
  readonly paint: ReturnType<typeof ink>
  readonly sign: ReturnType<typeof signs>
}

const styleOn = (colors: boolean, unicode: boolean): Style => ({ paint: ink(colors), sign: signs({ colors, unicode }) })

/** Of results. */
export const styleOfResults = Effect.map(Screen, ({ out, unicode }) => styleOn(out.colors, unicode))

/** Of sentences for people. */
export const styleOfNotes = Effect.map(Screen, ({ err, unicode }) => styleOn(err.colors, unicode))

/** A cell of a table, and how it is painted. */
export type Cell = string | readonly [text: string, color: Color]

const textOf = (cell: Cell): string => harmless(typeof cell === "string" ? cell : cell[0])

/** Rows in columns as wide as their widest cell; the last one is as long as it is. */
export const columns = (rows: ReadonlyArray<ReadonlyArray<Cell>>, { paint }: Style): ReadonlyArray<string> => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, widthOf(textOf(cell)))),
    []
  )
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const text = textOf(cell)
        const padding = at === row.length - 1 ? "" : padded(text, widths[at] ?? 0).slice(text.length)
        return `${typeof cell === "string" ? text : paint[cell[1]](text)}${padding}`
      })
      .join("  ")
      .trimEnd()
  )
}

export const indented = (lines: ReadonlyArray<string>, by = 2): ReadonlyArray<string> =>
  lines.map((_) => `${" ".repeat(by)}${_}`)
