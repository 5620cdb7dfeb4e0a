import { Context, Effect } from "effect"
import { CliOutput } from "../effectCli.ts"
import { colorsOf, Sides } from "../Screen.ts"
import { fittedHelp, fittedLines, trimmed } from "./help.ts"
import { harmlessLines } from "./sanitize.ts"
import { sentence } from "./sentence.ts"

/** Help, versions and wrong usage, through the streams that results and failures take. */
export const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function* (event) {
    const { err, out } = yield* Sides
    const colors = yield* Effect.orDie(colorsOf)
    const given = Context.getOrUndefined(yield* Effect.context<never>(), CliOutput.Formatter)
    const to = (side: typeof out) =>
      given ?? CliOutput.defaultFormatter({ colors: colors(side), globalFlags: "summary" })
    const help = (side: typeof out, doc: CliOutput.Presenter.Help["helpDoc"]) =>
      trimmed(to(side).formatHelpDoc(fittedHelp(doc, side.columns()))).replace(/^.*global flags.*$/m, (line) =>
        fittedLines(line, side.columns())
      )
    const print = (text: string) => Effect.orDie(out.write(`${text}\n`))
    switch (event._tag) {
      case "Help":
        return yield* print(help(out, event.helpDoc))
      case "InvalidInvocation": {
        // Not on standard output: a script reads results there. Without the help, whose length hides what is wrong.
        const path = (event.helpDoc.commandPath ?? ["portico"]).join(" ")
        const words = event.errors.map(({ message }) =>
          message.includes("\n") ? harmlessLines(message) : sentence(harmlessLines(message))
        )
        const text = [...words, `See '${path} --help'.`].join("\n")
        return yield* Effect.ignore(err.write(`${fittedLines(text, err.columns())}\n`))
      }
      case "Version":
        return yield* print(to(out).formatVersion(event.name, event.version))
    }
  })
}
