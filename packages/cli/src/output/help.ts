import { Array, Option } from "effect"
import type { CliOutput } from "../effectCli.ts"
import { widthOf } from "./width.ts"

type HelpDoc = Parameters<CliOutput.Formatter["formatHelpDoc"]>[0]
type FlagDoc = HelpDoc["flags"][number]
type GroupDoc = NonNullable<HelpDoc["subcommands"]>[number]
type ExampleDoc = NonNullable<HelpDoc["examples"]>[number]
type ArgDoc = NonNullable<HelpDoc["args"]>[number]

/** Words have at least this; where there is less, they stand below what they describe. */
const narrowest = 24

/** The words of a line, in lines of a width; a list's further lines stand below its words. */
const wrap = (line: string, width: number): ReadonlyArray<string> => {
  const hang = line.startsWith("- ") ? "  " : ""
  return line.split(" ").reduce<ReadonlyArray<string>>((lines, word) => {
    const last = lines.at(-1)
    if (last === undefined) return [word]
    const longer = `${last} ${word}`
    return longer.length <= width ? [...lines.slice(0, -1), longer] : [...lines, `${hang}${word}`]
  }, [])
}

/** The words of a description in their lines. */
const linesOf = (text: string, width: number): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line === "" ? [] : wrap(line, width)))

/** Where words stand that have no room beside what they describe. */
const below = 6

/** A text whose lines begin at a column, behind what stands on its left; below it, where the window is narrow. */
const inColumn = (text: string, column: number, columns: number): string => {
  const at = columns - column < narrowest ? below : column
  const lines = linesOf(text, columns - at)
  return lines.length === 0
    ? ""
    : [...(at < column ? [""] : []), ...lines].join(`\n${" ".repeat(at)}`).replace(/^ +/, "")
}

const leftOf = ({ aliases, name, type }: FlagDoc): number =>
  [`--${name}`, ...aliases].join(", ").length + (type === "boolean" ? 0 : type.length + 1)

/** A type that lists values and is wider than the window is a word, and the values are among the words. */
const withShortType = (flag: FlagDoc, columns: number): FlagDoc =>
  !flag.type.includes("|") || leftOf(flag) + 2 <= columns
    ? flag
    : {
        ...flag,
        type: "choice",
        description: Option.some(
          [...Option.toArray(flag.description), `(choices: ${flag.type.split("|").join(", ")})`].join(" ")
        )
      }

/** The table of help has two spaces in front of its left column, and four behind the longest. */
const flagsIn = (given: ReadonlyArray<FlagDoc>, columns: number): ReadonlyArray<FlagDoc> => {
  const flags = given.map((_) => withShortType(_, columns))
  const column = Math.max(...flags.map(leftOf)) + 6
  return flags.map((_) => ({ ..._, description: Option.map(_.description, (text) => inColumn(text, column, columns)) }))
}

/** The column of a table whose left one is so wide at most, of a row with something longer. */
const columnOf = (widest: number, cap: number, own: number): number => Math.max(Math.min(widest + 4, cap), own + 1) + 2

const argumentsIn = (args: ReadonlyArray<ArgDoc>, columns: number): ReadonlyArray<ArgDoc> => {
  const widthOf = ({ name, type, variadic }: ArgDoc) => name.length + type.length + 1 + (variadic ? 3 : 0)
  const widest = Math.max(...args.map(widthOf))
  return args.map((_) => {
    // The table says it behind the words.
    const optional = _.required ? "" : " (optional)"
    const text = Option.getOrElse(_.description, () => "") + optional
    const shown = inColumn(text, columnOf(widest, 25, widthOf(_)), columns)
    return { ..._, required: true, description: Option.some(shown) }
  })
}

const groupsIn = (groups: ReadonlyArray<GroupDoc>, columns: number): ReadonlyArray<GroupDoc> => {
  const widthOf = ({ alias, name }: GroupDoc["commands"][number]) => [name, ...(alias ? [alias] : [])].join(", ").length
  return groups.map((group) => {
    const widest = Math.max(...group.commands.map(widthOf))
    return {
      ...group,
      commands: Array.map(group.commands, (_) => ({
        ..._,
        shortDescription: inColumn(_.shortDescription ?? _.description, columnOf(widest, 20, widthOf(_)), columns)
      }))
    }
  })
}

/** The words of a command line, a flag with its value: what is quoted stays whole. */
const shellWords = /(?:--[\w.-]+ (?!-))?(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g

/** A command line in lines that a shell reads as one. */
const commandIn = (command: string, columns: number): string => {
  if (command.length + 2 <= columns) return command
  // Spaces in front of a line, and a backslash behind it.
  const fits = (line: string) => line.length + 4 <= columns
  const words = (command.match(shellWords) ?? []).flatMap((word) => {
    const [flag, value] = [word.slice(0, word.indexOf(" ")), word.slice(word.indexOf(" ") + 1)]
    return fits(`  ${word}`) || !word.startsWith("--") || flag === "" ? [word] : [flag, value]
  })
  const lines = words.reduce<ReadonlyArray<string>>((lines, word) => {
    const last = lines.at(-1)
    if (last === undefined) return [word]
    return fits(`${last} ${word}`) ? [...lines.slice(0, -1), `${last} ${word}`] : [...lines, `  ${word}`]
  }, [])
  return lines.join(" \\\n  ")
}

const examplesIn = (examples: ReadonlyArray<ExampleDoc>, columns: number): ReadonlyArray<ExampleDoc> =>
  examples.map(({ command, description }) => ({
    command: commandIn(command, columns),
    description: description === undefined ? undefined : wrap(description, columns - 4).join("\n  # ")
  }))

const paragraphs = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => (line === "" ? [""] : wrap(line, columns - 2).map((_) => `  ${_}`)))
    .join("\n")
    .trimStart()

/** Help whose words fit a window: descriptions stay within their column, or stand below what they describe. */
export const fittedHelp = (doc: HelpDoc, columns: number): HelpDoc => ({
  ...doc,
  description: paragraphs(doc.description, columns),
  usage: wrap(doc.usage, columns - 4).join("\n    "),
  flags: flagsIn(doc.flags, columns),
  ...(doc.args === undefined ? {} : { args: argumentsIn(doc.args, columns) }),
  ...(doc.inheritedFlags === undefined ? {} : { inheritedFlags: flagsIn(doc.inheritedFlags, columns) }),
  ...(doc.globalFlags === undefined ? {} : { globalFlags: flagsIn(doc.globalFlags, columns) }),
  ...(doc.subcommands === undefined ? {} : { subcommands: groupsIn(doc.subcommands, columns) }),
  ...(doc.examples === undefined ? {} : { examples: examplesIn(doc.examples, columns) })
})

/** Formatted lines without the blanks at their ends, and those that are wider than a window broken at spaces. */
export const fittedLines = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => {
      if (widthOf(line) <= columns) return [line.trimEnd()]
      const indent = /^ */.exec(line)?.[0] ?? ""
      return wrap(line.trimStart(), columns - indent.length).map((_) => (indent + _).trimEnd())
    })
    .join("\n")

/** Formatted help without the blanks at the ends of its lines, which a narrow window would break. */
export const trimmed = (text: string): string => text.replaceAll(/[ ]+$/gm, "")
