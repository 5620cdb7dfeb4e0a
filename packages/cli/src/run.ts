import { PorticoError } from "@portico/client/PorticoError"
import { Effect } from "effect"
import { CliFailure } from "./CliFailure.ts"
import { rootOf } from "./commands/root.ts"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "./effectCli.ts"
import { exitCodes } from "./ExitCode.ts"
import { nodeServices } from "./nodeServices.ts"
import { harmlessLines } from "./output/sanitize.ts"
import { presenter } from "./output/presenter.ts"
import { exitOf, outputFailed, unexpected, wordsOf } from "./refusals.ts"
import { OutputFailed, Sides } from "./Screen.ts"
import { planeFor } from "./session/planeFor.ts"
import { TokenSource } from "./session/TokenSource.ts"
import { version } from "./version.ts"

/** A failure is words on standard error in every form of output. */
const complain = (words: string) =>
  Effect.flatMap(Sides, ({ err }) => Effect.ignore(err.write(`${harmlessLines(words)}\n`)))

const ended = (failure: PorticoError | CliFailure) =>
  Effect.as(Effect.flatMap(wordsOf(failure), complain), exitCodes[exitOf(failure)])

/** Completions are a command, which knows names too; there is no wizard, and no log. */
const config = CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })

/** Runs a command line to its end, and says how it ended. */
export const run = (args: ReadonlyArray<string>): Effect.Effect<number> =>
  Effect.flatMap(planeFor(args), (plane) => Command.runWith(rootOf({ args, plane }), { version })(args)).pipe(
    Effect.as<number>(exitCodes.done),
    Effect.catch((error) => {
      if (error instanceof CliFailure && error.code !== undefined) return Effect.succeed(error.code)
      if (error instanceof PorticoError || error instanceof CliFailure) return ended(error)
      const isHelp = CliError.isCliError(error) && error._tag === "ShowHelp" && error.errors.length === 0
      return Effect.succeed<number>(isHelp ? exitCodes.done : exitCodes.usage)
    }),
    Effect.catchDefect((defect) => {
      if (!(defect instanceof OutputFailed)) return ended(unexpected(defect))
      return defect.code === "EPIPE" ? Effect.succeed<number>(exitCodes.pipeClosed) : ended(outputFailed(defect))
    }),
    Effect.provideService(TokenSource, { current: undefined }),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliConfig.CliConfig, config),
    Effect.provide(nodeServices)
  )
