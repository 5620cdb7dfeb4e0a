import { Effect, Option } from "effect"
import { formats } from "../globalFlags.ts"
import { choicesOf, type Flag, type Help, helpOf, type TreeOf } from "./help.ts"
import { fixedValues, listFor, operationOf } from "./lists.ts"
import { type Candidate, liveValues } from "./live.ts"

/** The words that may stand in the place of the last one. `files`: those of the shell's own. */
export interface Completion {
  readonly candidates: ReadonlyArray<Candidate>
  readonly files: boolean
}

/** How far a command line goes before the word that is completed. */
interface Position {
  readonly path: ReadonlyArray<string>
  readonly help: Help
  readonly positionals: ReadonlyArray<string>
  readonly flags: ReadonlyMap<string, string>
  /** A flag whose value comes next. */
  readonly pending?: Flag | undefined
  /** Behind `--`. */
  readonly onlyArguments: boolean
}

const flagsOf = (help: Help): ReadonlyArray<Flag> => [
  ...help.flags,
  ...(help.inheritedFlags ?? []),
  ...(help.globalFlags ?? [])
]

const flagNamed = (help: Help, word: string): Flag | undefined =>
  flagsOf(help).find(({ aliases, name }) => word === `--${name}` || aliases.includes(word))

const takesValue = ({ type }: Flag): boolean => type !== "boolean"

const subcommandsOf = (help: Help) => (help.subcommands ?? []).flatMap((_) => _.commands)

const afterFlag = (position: Position, word: string): Position => {
  const [name = "", ...rest] = word.split("=")
  const flag = flagNamed(position.help, name)
  if (flag === undefined) return position
  if (rest.length > 0) return { ...position, flags: new Map(position.flags).set(flag.name, rest.join("=")) }
  return takesValue(flag)
    ? { ...position, pending: flag }
    : { ...position, flags: new Map(position.flags).set(flag.name, "true") }
}

const after = (treeOf: TreeOf) =>
  Effect.fnUntraced(function* (position: Position, word: string) {
    const { help, onlyArguments, path, pending, positionals } = position
    if (pending !== undefined) {
      return { ...position, pending: undefined, flags: new Map(position.flags).set(pending.name, word) }
    }
    if (!onlyArguments && word === "--") return { ...position, onlyArguments: true }
    if (!onlyArguments && word.startsWith("-")) return afterFlag(position, word)
    const command = subcommandsOf(help).find(({ alias, name }) => word === name || word === alias)
    if (command === undefined || positionals.length > 0) return { ...position, positionals: [...positionals, word] }
    const below = [...path, command.name]
    return { ...position, path: below, help: (yield* helpOf(treeOf, below)) ?? help }
  })

const isFile = (type: string): boolean => /file|path|directory/.test(type)

/** The values of an argument or a flag. */
const valuesOf = Effect.fnUntraced(function* (position: Position, word: Flag | NonNullable<Help["args"]>[number]) {
  if (isFile(word.type)) return { candidates: [], files: true }
  const operation = operationOf(position.path)
  const fixed = fixedValues(operation, word.name)?.map(([value, meaning]) => ({
    value: String(value),
    description: meaning
  }))
  const choices = word.name === "output" ? formats : choicesOf(word)
  if (fixed !== undefined) return { candidates: fixed, files: false }
  if (choices.length > 0) return { candidates: choices.map((value) => ({ value })), files: false }
  const list = listFor(operation, word.name)
  if (list === undefined) return { candidates: [], files: false }
  const names = position.help.args?.map((_) => _.name) ?? []
  const args = new Map(position.positionals.map((value, index) => [names[index] ?? "", value]))
  return { candidates: yield* liveValues(list, { args, flags: position.flags }), files: false }
})

const flagCandidates = ({ flags, help }: Position): ReadonlyArray<Candidate> =>
  flagsOf(help)
    .filter(({ name }) => !flags.has(name))
    .map(({ description, name }) => ({ value: `--${name}`, description: Option.getOrUndefined(description) }))

const possible = Effect.fnUntraced(function* (position: Position, current: string) {
  if (position.pending !== undefined) return yield* valuesOf(position, position.pending)
  if (!position.onlyArguments && current.startsWith("-")) {
    const [name = "", ...rest] = current.split("=")
    const flag = rest.length === 0 ? undefined : flagNamed(position.help, name)
    if (flag === undefined) return { candidates: flagCandidates(position), files: false }
    const { candidates, files } = yield* valuesOf(position, flag)
    return { candidates: candidates.map((_) => ({ ..._, value: `${name}=${_.value}` })), files }
  }
  const commands = subcommandsOf(position.help)
  if (commands.length > 0 && position.positionals.length === 0) {
    const candidates = commands.map(({ name, shortDescription }) => ({ value: name, description: shortDescription }))
    return { candidates, files: false }
  }
  const args = position.help.args ?? []
  const last = args.at(-1)
  const argument = args[position.positionals.length] ?? (last?.variadic === true ? last : undefined)
  return argument === undefined ? { candidates: [], files: false } : yield* valuesOf(position, argument)
})

/** The words behind the name of the program; the last one is being typed. */
export const complete = Effect.fnUntraced(function* (treeOf: TreeOf, words: ReadonlyArray<string>) {
  const current = words.at(-1) ?? ""
  const help = yield* helpOf(treeOf, [])
  if (help === undefined) return { candidates: [], files: false }
  const start: Position = { path: [], help, positionals: [], flags: new Map(), onlyArguments: false }
  const position = yield* Effect.reduce(words.slice(0, -1), () => start, after(treeOf))
  const { candidates, files } = yield* possible(position, current)
  const fitting = new Map(candidates.filter((_) => _.value.startsWith(current)).map((_) => [_.value, _]))
  return { candidates: [...fitting.values()], files }
})
