#!/usr/bin/env node
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Duration, Effect, Stream } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import process from "node:process"
import { examine, namesOf } from "./doctor/examine.ts"
import { summaryOf, textOf } from "./doctor/report.ts"
import { settings } from "./doctor/settings.ts"
import { sentencesOf } from "./launch.ts"
import { endingWithOutput, outliveOutputs } from "./observability/outputs.ts"

// The one file of the gateway that knows `effect/cli`, whose modules may change with any release.

/** How the process ends. */
const codes = { fine: 0, failed: 1, usage: 2 } as const

const flags = {
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print the findings as one JSON array when all are there"),
    Flag.withDefault(false)
  ),
  records: Flag.Boolean("records").pipe(
    Flag.withDescription(
      "Compare the database with the platform too, as after a restore: projects, credentials, logins, buckets, S3 keys and zones that one side alone has, and what a start would take up. It reads every project, user, S3 user and zone"
    ),
    Flag.withDefault(false)
  ),
  timeout: Flag.Finite("timeout").pipe(
    Flag.withDescription("How long one check may take, in seconds; they run side by side"),
    Flag.withMetavar("seconds"),
    Flag.filter(
      (_) => _ > 0,
      (_) => `more than 0 seconds, not ${_}`
    ),
    Flag.withDefault(10)
  ),
  require: Flag.String("require").pipe(
    Flag.withDescription(
      "Checks whose failures count in the exit code, separated by commas, such as database,identity; every one when absent, and settings always"
    ),
    Flag.withMetavar("checks"),
    Flag.withDefault("")
  )
}

const exit = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

const command = Command.make(
  "portico-doctor",
  flags,
  Effect.fnUntraced(function* ({ json, records, require, timeout }) {
    const required = require
      .split(",")
      .map((_) => _.trim())
      .filter((_) => _ !== "")
    const known = namesOf({ records })
    const unknown = required.filter((_) => !known.includes(_))
    if (unknown.length > 0) {
      yield* Console.error(
        `portico-doctor: --require names what is not checked: ${unknown.join(", ")}. Checks are ${known.join(", ")}${records ? "" : ", and with --records records"}`
      )
      return yield* exit(codes.usage)
    }
    const findings = examine(Duration.seconds(timeout), { records })
    // A person reads each finding when it is there.
    const found = yield* Stream.runCollect(json ? findings : Stream.tap(findings, (_) => Console.log(textOf(_))))
    yield* Console.log(json ? JSON.stringify(found, null, 2) : summaryOf(found))
    // While settings are wrong no other check is carried out.
    const counts = (check: string) => required.length === 0 || check === settings.name || required.includes(check)
    if (found.some(({ check, state }) => state === "failed" && counts(check))) yield* exit(codes.failed)
  })
).pipe(
  Command.withDescription(
    "Checks what this gateway needs, with its own settings and from where it runs: the settings, the database, every system behind it by an authenticated read and the rights that onboarding needs, clocks, certificates, Kafka, Redis and the mail server. It changes nothing. Exit codes: 0 no check failed, 1 one did or the output cannot be written, 2 the options are wrong, 141 the reader of the output has gone."
  ),
  Command.withExamples([
    { command: "portico-doctor", description: "Everything, for a person" },
    {
      command: "portico-doctor --records --require settings,database,records",
      description: "After a restore, before the gateways are started"
    },
    {
      command: "portico-doctor --json --timeout 5 --require settings,database",
      description: "As data; only what a start cannot do without decides the exit code"
    }
  ])
)

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
)

const program = Command.runWith(command, { version })(process.argv.slice(2)).pipe(
  Effect.catchCause((cause) => {
    const [error] = cause.reasons.flatMap((_) => (_._tag === "Fail" ? [_.error] : []))
    if (CliError.isCliError(error)) {
      return error._tag === "ShowHelp" && error.errors.length === 0 ? Effect.void : exit(codes.usage)
    }
    const lines = sentencesOf(cause)
    return Effect.andThen(
      lines.length > 0
        ? Console.error(lines.map((_) => `portico-doctor: ${_}`).join("\n"))
        : Effect.logError("portico-doctor failed", cause),
      exit(codes.failed)
    )
  })
)

outliveOutputs()
const written = endingWithOutput("portico-doctor")

// A connection that is given up must not keep the process.
NodeRuntime.runMain(Effect.provide(program, NodeServices.layer), {
  disableErrorReporting: true,
  teardown: (_, end) => written(() => end(Number(process.exitCode ?? codes.fine)))
})
