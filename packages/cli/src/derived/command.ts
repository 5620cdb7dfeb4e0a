import type { PorticoError } from "@portico/client/PorticoError"
import type { Group, Operation } from "@portico/client/catalogue/Catalogue"
import { kebabCase } from "@portico/client/catalogue/names"
import type { CliFailure } from "../CliFailure.ts"
import type { FlagValues } from "../globalFlags.ts"
import type { Terminal } from "effect"
import { Argument, Command } from "../effectCli.ts"
import type { Output } from "../output/Output.ts"
import type { Screen } from "../Screen.ts"
import type { Session } from "../Session.ts"
import { carryOut } from "./carryOut.ts"
import { exampleOf, lineOf } from "./examples.ts"
import { excused } from "@portico/client/catalogue/excused"
import { configOf } from "./flags.ts"
import { callRaw, rawFlags } from "./raw.ts"

/** How a command can fail. A question that is left with Ctrl-C ends it too. */
export type Failures = PorticoError | CliFailure | Terminal.QuitError

/** What a command can use. */
export type Services = Session | Output | Screen | FlagValues | Command.Environment

/** A command of the tree, of whatever input. */
export type AnyCommand = Command.Command<string, never, {}, Failures, Services>

/** The word that people try first, where only one operation of the group can be meant. */
const aliases = { ls: ["list"], rm: ["remove", "revoke"], get: ["show"] } as const

const wordOf = ({ id }: Operation): string => id.split(".")[1] ?? ""

const startsWith = (operation: Operation, verb: string): boolean =>
  new RegExp(`^${verb}(?![a-z])`).test(wordOf(operation))

/** `ls`, `rm` or `get`. */
export const aliasOf = (operation: Operation, { operations }: Group): string | undefined => {
  const found = Object.entries(aliases).find(([, verbs]) => verbs.some((_) => startsWith(operation, _)))
  if (found === undefined) return undefined
  const [alias, verbs] = found
  const meant = operations.filter((other) => verbs.some((_) => startsWith(other, _)))
  const exact = meant.filter((other) => verbs.some((_) => _ === wordOf(other)))
  const [only] = exact.length > 0 ? exact : meant
  const isTaken = operations.some((_) => wordOf(_) === alias)
  return only === operation && (exact.length === 1 || meant.length === 1) && !isTaken ? alias : undefined
}

const described = (operation: Operation, group: Group) => {
  const example = exampleOf(operation)
  const alias = aliasOf(operation, group)
  return <Name extends string, Input, ContextInput, E, R>(
    command: Command.Command<Name, Input, ContextInput, E, R>
  ) => {
    const words = command.pipe(
      Command.withShortDescription(operation.summary),
      Command.withDescription(`${operation.summary}.\n\n${operation.description}`),
      Command.withExamples(example === undefined ? [] : [{ command: lineOf(example) }])
    )
    return alias === undefined ? words : Command.withAlias(words, alias)
  }
}

const path = Argument.String("path").pipe(
  Argument.withDescription("The rest of the path, such as compute/servers/detail, with a query if there is one.")
)

/** Everything below a path, for the service behind it. */
const catchAll = (operation: Operation): AnyCommand => {
  const prefix = operation.path.replace("{path}", "")
  return Command.make(kebabCase(wordOf(operation)), { path, ...rawFlags }, ({ path, ...given }) =>
    callRaw(operation.method, `${prefix}${path.replace(/^\//, "")}`, given)
  )
}

export interface Making {
  /** Identifiers may be missing where a skeleton is printed. */
  readonly needsIds: boolean
}

const commandOf = (operation: Operation, group: Group, making: Making): AnyCommand => {
  const describe = described(operation, group)
  if (operation.catchAll === true) return describe(catchAll(operation))
  return describe(
    Command.make(kebabCase(wordOf(operation)), configOf(operation, making), (given) => carryOut(operation, given))
  )
}

/** The commands of a group, but for what is excused. */
export const commandsOf = (group: Group, making: Making): ReadonlyArray<AnyCommand> =>
  group.operations.filter((_) => excused[_.id] === undefined).map((_) => commandOf(_, group, making))
