import { Effect } from "effect"
import { CliFailure } from "../CliFailure.ts"

/**
 * What one reader or another takes for the end of a line or of the text, a bare carriage return among it, and halves
 * of surrogate pairs, which no file holds.
 */
const breaking = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/**
 * Refuses to write a text that would not stay on its line. Much of what is written comes from a gateway: with a line
 * break in it, an answer could add settings of its own, such as a program to run. The text is not shown, because it
 * may be a secret.
 *
 * @param what names the text: `'secret_key'`
 */
export const oneLine = (what: string, text: string): Effect.Effect<void, CliFailure> =>
  breaking.test(text)
    ? Effect.fail(
        new CliFailure({
          exit: "refused",
          message: `The value of ${what} has a line break or another control character, and nothing was written`,
          hint: "No such value is right: if the platform answered it, do not trust the platform"
        })
      )
    : Effect.void

/** The same for every text in a value, by the names of the fields around it. */
export const allOneLine = (what: string, value: unknown): Effect.Effect<void, CliFailure> => {
  if (typeof value === "string") return oneLine(what, value)
  if (typeof value !== "object" || value === null) return Effect.void
  return Effect.forEach(
    Object.entries(value),
    ([name, part]) =>
      Effect.andThen(oneLine(`a name in ${what}`, name), allOneLine(Array.isArray(value) ? what : `'${name}'`, part)),
    { discard: true }
  )
}
