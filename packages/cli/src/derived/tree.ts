import { catalogue } from "../catalog/catalog.ts"
import type { Group } from "@portico/client/catalogue/Catalogue"
import { Command } from "../effectCli.ts"
import { type AnyCommand, commandsOf, type Failures, type Making, type Services } from "./command.ts"

export type Plane = "customer" | "operator"

export interface TreeOptions {
  /** The command line: what it does not name is made without its commands and flags, which takes time. */
  readonly args: ReadonlyArray<string>
  /** Makes everything, as completions need it. */
  readonly whole?: boolean
  /** Of the address that is worked with, where it is known. Groups of operators are listed on an operator plane. */
  readonly plane?: Plane | undefined
}

/** Commands below a heading of the help. */
export interface Section {
  readonly group: string
  readonly commands: ReadonlyArray<AnyCommand>
}

/** A command whose failures and services are those that the root knows. */
type Fitting<C> = [Command.Error<C>] extends [Failures]
  ? [Command.Services<C>] extends [Services]
    ? unknown
    : never
  : never

/** Commands that are made by hand, below a heading. */
export function section<const Commands extends ReadonlyArray<Command.Command.Any>>(
  group: string,
  commands: Commands & Fitting<Commands[number]>
): Section
export function section(group: string, commands: ReadonlyArray<Command.Command.Any>): object {
  return { group, commands }
}

const makingOf = ({ args }: TreeOptions): Making => ({ needsIds: !args.includes("--generate-skeleton") })

const isNamed = (group: Group, { args, whole }: TreeOptions): boolean => whole === true || args.includes(group.name)

/** The verbs of a command that is made by hand: they fail as it does. */
function verbsOf(made: AnyCommand): ReadonlyArray<AnyCommand>
function verbsOf(made: AnyCommand): ReadonlyArray<Command.Command.Any> {
  return made.subcommands.flatMap((_) => _.commands)
}

/** Has the verbs of the contract that the hand-made command lacks. */
const completed = (made: AnyCommand, group: Group, options: TreeOptions): AnyCommand => {
  const own = verbsOf(made)
  const taken = new Set(own.flatMap(({ alias, name }) => (alias === undefined ? [name] : [name, alias])))
  const further = commandsOf(group, makingOf(options))
    .filter((_) => !taken.has(_.name))
    .map((_) => (_.alias !== undefined && taken.has(_.alias) ? Command.withAlias(_, "") : _))
  return further.length === 0 ? made : Command.withSubcommands(made, [...own, ...further])
}

const groupCommand = (group: Group, made: AnyCommand | undefined, options: TreeOptions): AnyCommand => {
  const start = made ?? described(group)
  // Without its verbs, made by hand or not, where nobody names it.
  const short = start.subcommands.length === 0 ? start : described(group)
  const whole = isNamed(group, options) ? completed(start, group, options) : short
  const isListed = group.planes.includes("customer") || options.plane === "operator"
  return isListed ? whole : Command.unlisted(whole)
}

/** One line about a group: its first sentence, or as much of it as fits. */
const lineOf = ({ description, title }: Group): string => {
  const [sentence = ""] = description.split(/\.(?:\s|$)/, 1)
  const [clause = ""] = sentence.split(": ", 1)
  const [start = ""] = clause.split(", ", 1)
  const isWhole = (_: string) => _.length <= 70 && !_.startsWith("For ") && _.includes("(") === _.includes(")")
  return [sentence, clause, start].find(isWhole) ?? title
}

/** A group of the contract without its verbs. */
export const described = (group: Group): AnyCommand => {
  const command = Command.make(group.name).pipe(
    Command.withShortDescription(lineOf(group)),
    Command.withDescription(group.description)
  )
  return command
}

/**
 * The groups of the contract with the commands that are made by hand: one with
 * the name of a group takes its place and has its other verbs too, and a verb of
 * that group that is made by hand takes the place of the derived one. A section
 * with the title of one of the contract's is a part of it.
 */
export const merge = (handMade: ReadonlyArray<Section>, options: TreeOptions): ReadonlyArray<Section> => {
  const all = handMade.flatMap((_) => _.commands)
  const groups = new Set(catalogue.groups.map((_) => _.name))
  const titles = [...new Set(catalogue.groups.map((_) => _.section))]
  const made = handMade.map((_) => ({ ..._, commands: _.commands.filter(({ name }) => !groups.has(name)) }))
  const own = made.filter((_) => !titles.includes(_.group))
  const derived = titles.map((title) => ({
    group: title,
    commands: [
      ...made.flatMap((_) => (_.group === title ? _.commands : [])),
      ...catalogue.groups
        .filter((_) => _.section === title)
        .map((group) =>
          groupCommand(
            group,
            all.find(({ name }) => name === group.name),
            options
          )
        )
    ]
  }))
  return [...own, ...derived].filter((_) => _.commands.length > 0)
}
