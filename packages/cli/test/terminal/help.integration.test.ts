import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { helpOf, type TreeOf } from "../../src/completion/help.ts"
import { rootOf } from "../../src/commands/root.ts"
import { fittedHelp, trimmed } from "../../src/output/help.ts"
import { CliOutput } from "../../src/effectCli.ts"
import { nodeServices } from "../../src/nodeServices.ts"
import { widthOf } from "../../src/output/width.ts"
import { commandLine } from "../harness/commandLine.ts"
import { porticoIn } from "../harness/PseudoTerminal.ts"

/** Whether the program ever wrote to the last column and beyond: the terminal breaks such a line, and hides it. */
const widest = (written: string): number => Math.max(...written.split("\r\n").map(widthOf))

const shown = Effect.fnUntraced(function* (args: ReadonlyArray<string>, columns: number) {
  const terminal = yield* porticoIn(args, { columns, rows: 60 })
  const exit = yield* terminal.exit
  assert.isAtMost(widest(terminal.written()), columns)
  return { exit, text: terminal.transcript() }
})

const createNarrow = `  portico databases create \\
    postgres orders --version 17 \\
    --size-gb 10 \\
    --backup.enabled --wait`

/** An address or an identifier is not broken. */
const hasLongWord = (line: string): boolean => line.split(" ").some((_) => _.length > 30)

/** The whole tree, as completions see it. */
const tree: TreeOf = (args) => rootOf({ args, plane: "operator", whole: true })

describe("help", () => {
  it.live("of everything, in a narrow window, has descriptions below the flags", () =>
    Effect.gen(function* () {
      const { exit, text } = yield* shown(["--help"], 40)
      assert.strictEqual(exit, 0)
      assert.strictEqual(
        text.split("\n").slice(0, 15).join("\n"),
        [
          "DESCRIPTION",
          "  The command line of a Portico cloud.",
          "  Log in first; 'portico <command>",
          "  --help' has the flags and an example",
          "  of each command.",
          "",
          "USAGE",
          "  portico <subcommand> [flags]",
          "",
          "GLOBAL FLAGS",
          "  --help, -h",
          "      Show help information",
          "  --version, -v",
          "      Show version information",
          "  --url address"
        ].join("\n")
      )
      assert.include(text, "\n  exec\n      Run a program with a token in its\n      environment\n")
    })
  )

  it.live("of everything, in a wide window, has descriptions beside the flags", () =>
    Effect.gen(function* () {
      const { exit, text } = yield* shown(["--help"], 100)
      assert.strictEqual(exit, 0)
      const flags = text.split("GLOBAL FLAGS\n")[1]?.split("\n\n")[0]
      assert.deepStrictEqual(flags?.split("\n"), [
        "  --help, -h             Show help information",
        "  --version, -v          Show version information",
        "  --url address          The address of a plane. Or PORTICO_URL; otherwise the profile's",
        "  --profile name         The profile to work with. Or PORTICO_PROFILE; otherwise the one in use",
        "  --output, -o choice    A table on a terminal and JSON elsewhere, when absent (choices: table,",
        "                         json, yaml, tsv, name)",
        "  --query expression     A JMESPath expression over the response",
        "  --fields names         Only these fields, separated by commas",
        "  --quiet, -q            Nothing but results and failures"
      ])
      assert.include(text, "\n  whoami     Show who is signed in, and what the credential may do\n")
    })
  )

  it.live("of a command has examples that a shell takes unchanged", () =>
    Effect.gen(function* () {
      const { exit, text } = yield* shown(["databases", "create", "--help"], 34)
      assert.strictEqual(exit, 0)
      assert.include(text, createNarrow)
      assert.include(text, "\nUSAGE\n  portico databases create\n    [flags] [<engine>] [<name>]\n")
      const wide = yield* shown(["databases", "create", "--help"], 100)
      assert.include(
        wide.text,
        "\n  portico databases create postgres orders --version 17 --size-gb 10 --backup.enabled --wait\n"
      )
    })
  )

  it.live("of every command fits a window of 40 columns", () =>
    Effect.gen(function* () {
      const wide: Array<string> = []
      const { formatHelpDoc } = CliOutput.defaultFormatter({ colors: true })
      const look = (path: ReadonlyArray<string>): Effect.Effect<void> =>
        Effect.gen(function* () {
          const help = yield* helpOf(tree, path)
          if (help === undefined) return void wide.push(`no help of ${path.join(" ")}`)
          // Identifiers in examples are longer, and stay whole.
          for (const line of trimmed(formatHelpDoc(fittedHelp({ ...help, examples: [] }, 40))).split("\n"))
            if (widthOf(line) > 40 && !hasLongWord(line)) wide.push(`${path.join(" ")}: ${line}`)
          for (const { commands } of help.subcommands ?? [])
            for (const { name } of commands) yield* look([...path, name])
        }).pipe(Effect.provide(nodeServices))
      yield* look([])
      assert.deepStrictEqual(wide, [])
    })
  )
})

describe("a mistyped command line", () => {
  it.live("is answered with the likely command, and where the help is", () =>
    Effect.gen(function* () {
      const command = yield* shown(["databses", "list"], 80)
      assert.strictEqual(command.exit, 2)
      assert.strictEqual(
        command.text,
        `Unknown subcommand "databses" for "portico"\n\n  Did you mean this?\n    databases\nSee 'portico --help'.`
      )
      const flag = yield* shown(["databases", "list", "--statu", "ready"], 40)
      assert.strictEqual(flag.exit, 2)
      assert.strictEqual(
        flag.text,
        "Unrecognized flag: --statu in command\nportico databases list\n\n  Did you mean this?\n    --status\nSee 'portico databases list --help'."
      )
    })
  )

  it.live("has no --wizard, --completions or --log-level flag", () =>
    Effect.gen(function* () {
      for (const args of [["--wizard"], ["--completions", "bash"], ["--log-level", "debug", "whoami"]]) {
        const { exit, stderr } = yield* commandLine(args)
        assert.strictEqual(exit, 2)
        assert.include(stderr, `Unrecognized flag: ${args[0]}`)
      }
    })
  )
})
