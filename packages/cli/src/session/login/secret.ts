import { Effect, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { CliFailure } from "../../CliFailure.ts"
import { Prompt } from "../../effectCli.ts"
import { ask } from "../../output/confirm.ts"
import { Screen } from "../../Screen.ts"
import { standardText } from "../../StandardInput.ts"
import { textOf } from "../../utf8.ts"
import { problemOf } from "../files.ts"

const usage = (message: string, hint?: string) => new CliFailure({ exit: "usage", message, hint })

/** A secret from a file, from standard input (`-`, or nothing at all), or asked for without an echo. */
export const secretFrom = Effect.fnUntraced(function* (file: string | undefined, name: string) {
  const { canAsk } = yield* Screen
  const given =
    file !== undefined && file !== "-"
      ? yield* Effect.tryPromise({
          try: () => readFile(file),
          catch: (cause) => usage(`${file} cannot be read: ${problemOf(file, cause).reason}`)
        }).pipe(Effect.flatMap((_) => textOf(file, _)))
      : file === undefined && canAsk
        ? yield* asked(name)
        : yield* standardText
  const secret = given.trim()
  if (secret === "" || /[\s\p{Cc}]/u.test(secret)) {
    return yield* usage(`That is not ${name}: it is ${secret === "" ? "empty" : "more than one word"}`)
  }
  return secret
})

const asked = (name: string) =>
  Effect.map(ask(Prompt.Hidden({ message: `Paste ${name}` })), Redacted.value).pipe(
    Effect.mapError(() => new CliFailure({ exit: "interrupted", message: "Nothing was entered" }))
  )
