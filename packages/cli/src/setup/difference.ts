import { createTwoFilesPatch } from "diff"
import { harmless } from "../output/sanitize.ts"
import type { Change } from "./files.ts"

/** Values that nobody reads over a shoulder or in the log of a pipeline: foreign lines stand around ours. */
const hidden =
  /((?:[\w.-]*(?:pass(?:word|phrase|code)|secret|token|access_key|key-data|private_?key)[\w.-]*|\b_?auth)["']?\s*[:=]\s*)(?![\s{[]*$).+$/i

const withoutSecrets = (line: string): string => line.replace(hidden, "$1***")

/** The lines around ours are the person's own, whatever is in them. Tabs stay: Docker indents with them. */
const shown = (line: string): string => line.split("\t").map(harmless).join("\t")

const colored = (line: string): string =>
  line.startsWith("+") ? `\u001B[32m${line}\u001B[39m` : line.startsWith("-") ? `\u001B[31m${line}\u001B[39m` : line

/** A unified diff in which no secret stands. */
export const differenceOf = ({ after, before, path }: Change, colors: boolean): string => {
  const [from, to] = [before === undefined ? "/dev/null" : path, after === undefined ? "/dev/null" : path]
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, { context: 2 })
    .trimEnd()
    .split("\n")
  return patch
    .slice(patch.findIndex((_) => _.startsWith("--- ")))
    .map((line, i) => shown(i < 2 ? line.trimEnd() : withoutSecrets(line)))
    .map((_) => (colors ? colored(_) : _))
    .join("\n")
}
