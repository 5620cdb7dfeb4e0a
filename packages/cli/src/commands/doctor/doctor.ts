import { Duration, Effect, Stream } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Command, Flag } from "../../effectCli.ts"
import { type Exit, exitCodes } from "../../ExitCode.ts"
import { Output } from "../../output/Output.ts"
import { harmless } from "../../output/sanitize.ts"
import { paragraph } from "../../output/wrap.ts"
import { Screen } from "../../Screen.ts"
import { styleOfResults, type Style } from "../operator/lines.ts"
import { plural } from "../operator/words.ts"
import type { Checked } from "./Check.ts"

/** In front of what was found. */
const column = 20

/** The lines of a text, whose first one stands behind something else. */
const hanging = (text: string, columns: number, indent: number): string =>
  paragraph(text, columns, indent).join("\n").trimStart()

const textOf = ({ check, detail, fix, state }: Checked, { paint, sign }: Style, columns: number): string => {
  const mark = {
    ok: paint.green(sign.done),
    warning: paint.yellow(sign.warning),
    failed: paint.red(sign.failed),
    skipped: paint.dim(sign.skipped)
  }[state]
  const line = `${mark} ${check.padEnd(column - 3)} ${hanging(harmless(detail), columns, column)}`
  if (fix === null) return line
  return `${line}\n${" ".repeat(column)}${paint.dim("->")} ${hanging(harmless(fix), columns, column + 3)}`
}

/** The exit code of the worst finding: the highest number. */
const worstOf = (found: ReadonlyArray<Checked>): Exit =>
  found.map((_) => _.exit).reduce<Exit>((worst, exit) => (exitCodes[exit] > exitCodes[worst] ? exit : worst), "done")

const plain = ({ exit: _, ...rest }: Checked) => rest

export const doctor = Command.make(
  "doctor",
  {
    timeout: Flag.Finite("timeout").pipe(
      Flag.withDescription("How long one check may take, in seconds"),
      Flag.withMetavar("seconds"),
      Flag.withDefault(10)
    )
  },
  Effect.fnUntraced(function* ({ timeout }) {
    const { format, show } = yield* Output
    const { out, print } = yield* Screen
    const style = yield* styleOfResults
    const { examine } = yield* Effect.promise(() => import("./examine.ts"))
    const checks = examine(Duration.seconds(timeout))
    // A person reads each finding when it is there.
    const shown =
      format === "table"
        ? Stream.tap(checks, (_) => print(textOf(_, style, out.isTerminal ? out.columns() : Infinity)))
        : checks
    const found = yield* Stream.runCollect(shown)
    if (format !== "table") yield* show(found.map(plain), { name: "check" })
    const count = (state: Checked["state"]) => found.filter((_) => _.state === state).length
    const [failures, warnings] = [count("failed"), count("warning")]
    if (failures > 0) {
      return yield* new CliFailure({
        exit: worstOf(found),
        message: `${plural(failures, "check")} failed, ${plural(warnings, "warning")}, ${plural(found.length, "check")} in all`
      })
    }
    const { note } = yield* Screen
    yield* note(warnings === 0 ? "Everything works." : `${plural(warnings, "warning")}; everything else works.`)
  })
).pipe(
  Command.withShortDescription("Find out why something does not work"),
  Command.withDescription(
    "Checks what stands between you and the platform: the address, the connection, TLS, the clock, the token and what " +
      "the gateway says of it, versions, and what the plane says of itself. For a platform administrator on the operator " +
      "plane also every system behind the gateway, by an authenticated read. Every check runs, also when an earlier one " +
      "fails; each says what to do. Ends with 0 when nothing fails, with 3 when you are not signed in, and with 5 when " +
      "the platform fails."
  ),
  Command.withExamples([
    { command: "portico doctor", description: "Check everything" },
    { command: "portico doctor --output json --timeout 3", description: "The findings as data, within seconds" }
  ])
)
