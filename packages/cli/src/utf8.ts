import { Effect, Result } from "effect"
import { CliFailure } from "./CliFailure.ts"

/** The text that bytes are in UTF-8, without a byte order mark; undefined for bytes that are not UTF-8. */
export const decoded = (bytes: Uint8Array): string | undefined =>
  Result.getOrUndefined(Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)))

/**
 * The text of a file or of standard input, which `name` says in a message. Fails with the exit code of a usage error
 * where the bytes are not UTF-8: read as if they were, they would lose every character that is not ASCII.
 */
export const textOf = (name: string, bytes: Uint8Array): Effect.Effect<string, CliFailure> => {
  const text = decoded(bytes)
  return text !== undefined
    ? Effect.succeed(text)
    : Effect.fail(
        new CliFailure({
          exit: "usage",
          message: `${name} is not text in UTF-8`,
          hint: "Convert it, such as with 'iconv -f ISO-8859-1 -t UTF-8', or with '-f UTF-16'"
        })
      )
}
