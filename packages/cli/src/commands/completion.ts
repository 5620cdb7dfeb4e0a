import { Effect } from "effect"
import type { Candidate } from "../completion/live.ts"
import type { TreeOf } from "../completion/help.ts"
import { Argument, Command } from "../effectCli.ts"
import { Screen } from "../Screen.ts"

const shells = ["bash", "zsh", "fish", "powershell"] as const

const installation =
  "Prints the script that completes commands, flags, and the names of what you have. The examples install it in each " +
  "shell; a new shell has it. Names come from the gateway of the profile in use, within a second or not at all, and are " +
  "kept for five seconds."

export const completion = Command.make(
  "completion",
  { shell: Argument.Literals("shell", shells).pipe(Argument.withDescription("The shell to complete in")) },
  Effect.fnUntraced(function* ({ shell }) {
    const { scripts } = yield* Effect.promise(() => import("../completion/scripts.ts"))
    yield* (yield* Screen).print(scripts[shell].trimEnd())
  })
).pipe(
  Command.withShortDescription("Complete commands, flags and names in a shell"),
  Command.withDescription(installation),
  Command.withExamples([
    {
      command: "portico completion bash > ~/.local/share/bash-completion/completions/portico",
      description: "bash, with the package bash-completion"
    },
    { command: 'portico completion zsh > "${fpath[1]}/_portico"', description: "zsh" },
    { command: "portico completion fish > ~/.config/fish/completions/portico.fish", description: "fish" },
    {
      command: "portico completion powershell | Out-String | Invoke-Expression",
      description: "PowerShell, as a line of the file that $PROFILE names"
    }
  ])
)

/** Names are other people's: one with a control character could become another line, or a command of the terminal. */
const isHarmless = ({ value }: Candidate): boolean => !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)

const lineOf = ({ description, value }: Candidate): string => {
  const [first = ""] = (description ?? "").split("\n")
  const words = first.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?").slice(0, 80)
  return words === "" ? value : `${value}\t${words}`
}

/** What the scripts ask. It never fails: a shell would show the failure in the middle of the line that is typed. */
export const completing = (treeOf: TreeOf) =>
  Command.make(
    "__complete",
    { words: Argument.String("words").pipe(Argument.variadic()) },
    Effect.fnUntraced(function* ({ words }) {
      const { complete } = yield* Effect.promise(() => import("../completion/complete.ts"))
      const last = (words.at(-1) ?? ":").replace(/^:/, "")
      const { candidates, files } = yield* complete(treeOf, [...words.slice(0, -1), last])
      const lines = [files ? "files" : "words", ...candidates.filter(isHarmless).map(lineOf)]
      yield* (yield* Screen).print(lines.join("\n"))
    })
  ).pipe(Command.withShortDescription("Completes a command line, for the scripts of 'completion'"), Command.unlisted)
