import { Effect, Option } from "effect"
import type { Failures } from "../derived/command.ts"
import { CliOutput, Command } from "../effectCli.ts"

/** What the help of a command says about it. */
export type Help = Parameters<CliOutput.Formatter["formatHelpDoc"]>[0]

export type Flag = Help["flags"][number]

/** The tree of commands, with those parts in full that a command line names. */
export type TreeOf = (args: ReadonlyArray<string>) => Root

export type Root = Command.Command<"portico", never, {}, Failures, Command.Environment>

/** The help of the command at a path, as `--help` would show it. */
export const helpOf = Effect.fnUntraced(function* (treeOf: TreeOf, path: ReadonlyArray<string>) {
  const shown: { help?: Help } = {}
  const presenter: CliOutput.Presenter = {
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === "Help") shown.help = event.helpDoc
      })
  }
  yield* Command.runWith(treeOf(path), { version: "" })([...path, "--help"]).pipe(
    Effect.ignore,
    Effect.provideService(CliOutput.Presenter, presenter)
  )
  return shown.help
})

/** The values of a flag or an argument that takes one of a few: the help has them in its type or its description. */
export const choicesOf = ({ description, type }: { description: Option.Option<string>; type: string }) => {
  const listed = /\(choices: ([^)]*)\)/.exec(Option.getOrElse(description, () => ""))?.[1]
  if (listed !== undefined) return listed.split(", ")
  return /^[\w.-]+(\|[\w.-]+)+$/.test(type) ? type.split("|") : []
}
