import { widthOf } from "./width.ts"

/** Lines of at most so many columns, broken at spaces; a longer word has a line of its own, which the terminal breaks. */
const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line: string | undefined
  for (const word of text.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`
    if (line === undefined || widthOf(longer) <= width) {
      line = longer
    } else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line ?? ""]
}

/** A text in lines that begin with so many spaces. */
export const paragraph = (text: string, columns: number, indent = 0): ReadonlyArray<string> =>
  text.split("\n").flatMap((_) => wrapped(_, Math.max(20, columns - indent)).map((line) => " ".repeat(indent) + line))
