import { Effect, FileSystem, Option } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Flag } from "../effectCli.ts"
import { problemOf } from "../session/files.ts"
import { textOf } from "../utf8.ts"

export const secretFileFlag = Flag.Path("secret-file").pipe(
  Flag.withDescription("Sign with the secret in this file, in place of the listener's own"),
  Flag.withMetavar("path"),
  Flag.optional
)

/** The secret in a file of the caller's, if one is named. */
export const secretIn = Effect.fnUntraced(function* (file: Option.Option<string>) {
  if (Option.isNone(file)) return undefined
  const bytes = yield* Effect.mapError(
    (yield* FileSystem.FileSystem).readFile(file.value),
    ({ reason }) =>
      new CliFailure({
        exit: "usage",
        message: `The secret cannot be read from '${file.value}': ${problemOf(file.value, reason.cause).reason}`
      })
  )
  const secret = (yield* textOf(`'${file.value}'`, bytes)).trim()
  if (secret === "") return yield* new CliFailure({ exit: "usage", message: `There is no secret in '${file.value}'` })
  return secret
})
