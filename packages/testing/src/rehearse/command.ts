import { Console, Effect, FileSystem, Option, Result } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { faultNames } from "../onboarding/cases.ts"
import { pageOf } from "./page.ts"
import { progressOn } from "./progress.ts"
import { rehearse } from "./rehearse.ts"
import { isClean, type Report } from "./Report.ts"
import { tableOf } from "./table.ts"

// The one file that knows `effect/cli`, whose modules may change with any release.

/** How the process ends. */
const codes = { clean: 0, failed: 1, unusable: 2 } as const

const file = Argument.String("file").pipe(
  Argument.withDescription("A module that exports `onboarding`, the layer of your steps")
)

const flags = {
  step: Flag.String("step").pipe(
    Flag.withDescription("Only the calls of this step. May be given more than once"),
    Flag.withMetavar("name"),
    Flag.between(0, 100)
  ),
  fault: Flag.Literals("fault", faultNames).pipe(
    Flag.withDescription("Only faults of this kind. May be given more than once"),
    Flag.between(0, 100)
  ),
  all: Flag.Boolean("all").pipe(
    Flag.withDescription("A row for each case, instead of one for all that end alike"),
    Flag.withDefault(false)
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print the report as JSON"), Flag.withDefault(false)),
  html: Flag.String("html").pipe(
    Flag.withDescription("Write the report as one HTML page"),
    Flag.withMetavar("report.html"),
    Flag.optional
  ),
  jobs: Flag.Int("jobs").pipe(
    Flag.withDescription("How many threads play cases side by side; as many as there are processors when absent"),
    Flag.withMetavar("number"),
    Flag.withDefault(Math.min(availableParallelism(), 8))
  )
}

const description = `Plays an onboarding in a simulated cloud, and cuts it short at every upstream call that it makes, in every way: the call is refused, hangs, breaks off or answers nonsense, before and after its effect; the client hangs up; the process dies, and two replicas clean up; the effect comes late; two replicas onboard the same name at once. After each case nothing may be left, and the name has to be free again, or the tenant has to be whole.

The file exports
  onboarding  the layer of your steps: OnboardingSteps.layer(...), with their clients
  settings    optional: the settings that your clients read, as an object of strings
  company     optional: a function that makes your own upstreams, see \`collections\`
  has         optional: an Effect that asserts what your steps made for a tenant

Exit codes: 0 all is clean; 1 something is left, or a case ended wrong; 2 the file or the options cannot be used.`

const fail = Effect.fnUntraced(function* (words: string) {
  yield* Console.error(words)
  yield* exit(codes.unusable)
})

const exit = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

const print = (report: Report, options: { readonly json: boolean; readonly all: boolean }): string =>
  options.json ? JSON.stringify(report, undefined, 2) : tableOf(report, options)

const rehearsal = Command.make(
  "rehearse",
  { file, ...flags },
  Effect.fnUntraced(function* ({ all, fault, file, html, jobs, json, step }) {
    const progress = yield* progressOn(process.stderr)
    const outcome = yield* Effect.result(rehearse({ file: resolve(file), steps: step, faults: fault, jobs }, progress))
    if (Result.isFailure(outcome)) return yield* fail(outcome.failure.message)
    const report = outcome.success
    yield* Console.log(print(report, { all, json }))
    if (Option.isSome(html)) {
      const written = yield* Effect.result((yield* FileSystem.FileSystem).writeFileString(html.value, pageOf(report)))
      if (Result.isFailure(written)) return yield* fail(`${html.value} cannot be written: ${written.failure.message}`)
    }
    yield* exit(isClean(report) ? codes.clean : codes.failed)
  })
).pipe(
  Command.withDescription(description),
  Command.withExamples([
    { command: "portico-testing rehearse ./steps.ts", description: "Every fault at every call" },
    {
      command: 'portico-testing rehearse ./steps.ts --step "default zone" --fault reset --all',
      description: "Lost answers of one step, a row for each case"
    },
    { command: "portico-testing rehearse ./steps.ts --html report.html", description: "The same as a page" }
  ])
)

const root = Command.make("portico-testing").pipe(
  Command.withDescription("Tests of a Portico gateway with steps of its own"),
  Command.withSubcommands([rehearsal])
)

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

/** Runs the command line. Wrong options are as a file that cannot be used. */
export const program = (args: ReadonlyArray<string>) =>
  Command.runWith(root, { version })(args).pipe(
    Effect.catchIf(CliError.isCliError, (error) =>
      error._tag === "ShowHelp" && error.errors.length === 0 ? Effect.void : exit(codes.unusable)
    )
  )
