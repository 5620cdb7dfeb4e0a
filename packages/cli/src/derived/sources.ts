import { Effect, FileSystem } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { standardText } from "../StandardInput.ts"
import { problemOf } from "../session/files.ts"
import { textOf } from "../utf8.ts"

const unreadable = (name: string, why: string) =>
  new CliFailure({ exit: "usage", message: `'${name}' cannot be read: ${why}` })

/** The text of a file, or of standard input with `-`; both have to be UTF-8. */
export const readSource = Effect.fnUntraced(function* (name: string) {
  if (name === "-") return yield* standardText
  const files = yield* FileSystem.FileSystem
  const bytes = yield* Effect.mapError(files.readFile(name), ({ reason }) =>
    unreadable(name, problemOf(name, reason.cause).reason)
  )
  return yield* textOf(`'${name}'`, bytes)
})

/** A secret: without the line break that an editor or `echo` leaves at its end. */
export const readSecret = (name: string) => Effect.map(readSource(name), (_) => _.replace(/\r?\n$/, ""))

/** What a flag says itself, `@file`, or `-` for standard input. */
export const readArgument = (text: string) =>
  text === "-" ? readSource("-") : text.startsWith("@") ? readSource(text.slice(1)) : Effect.succeed(text)
