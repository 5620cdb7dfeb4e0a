import { Effect, FileSystem } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { StandardInput } from "../StandardInput.ts"
import { problemOf } from "../session/files.ts"

const unreadable = (name: string, why: string) =>
  new CliFailure({ exit: "usage", message: `'${name}' cannot be read: ${why}` })

/** The text of a file, or of standard input with `-`. */
export const readSource = Effect.fnUntraced(function* (name: string) {
  if (name === "-") return yield* yield* StandardInput
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(files.readFileString(name), ({ reason }) =>
    unreadable(name, problemOf(name, reason.cause).reason)
  )
})

/** A secret: without the line break that an editor or `echo` leaves at its end. */
export const readSecret = (name: string) => Effect.map(readSource(name), (_) => _.replace(/\r?\n$/, ""))

/** What a flag says itself, `@file`, or `-` for standard input. */
export const readArgument = (text: string) =>
  text === "-" ? readSource("-") : text.startsWith("@") ? readSource(text.slice(1)) : Effect.succeed(text)
