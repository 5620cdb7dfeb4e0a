import { Effect, Result } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { harmless } from "./sanitize.ts"
import { widthOf } from "./width.ts"

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The library's message without its own heading. */
const reasonOf = (message: string): string => message.replace(/^syntax(?: error)?[:,] */i, "")

/**
 * Where an expression stops to be one, counted from 1: at the end of its
 * shortest beginning that fails as the whole does, and behind its end when
 * something is missing there. The library does not say it.
 */
const placeOf = (expression: string, failsWith: (beginning: string) => string | undefined): number => {
  const whole = failsWith(expression) ?? ""
  if (/EOF|unexpected end/.test(whole)) return expression.length + 1
  for (let length = 1; length < expression.length; length += 1) {
    if (failsWith(expression.slice(0, length)) === whole) return length
  }
  return expression.length
}

/**
 * A JMESPath expression as a function. It is read before the command asks
 * anything, so that a mistake costs nothing. The library is loaded here, because
 * most command lines have no query.
 */
export const queryOf = Effect.fnUntraced(function* (expression: string) {
  const { compile, TreeInterpreter } = yield* Effect.promise(() => import("@jmespath-community/jmespath"))
  const compiled = (text: string) => Result.try({ try: () => compile(text), catch: messageOf })
  const found = compiled(expression)
  if (Result.isFailure(found)) {
    const place = placeOf(expression, (_) => Result.getOrUndefined(Result.flip(compiled(_))))
    return yield* new CliFailure({
      exit: "usage",
      message: [
        `--query is not a JMESPath expression: ${reasonOf(found.failure)}, at character ${place}`,
        `  ${harmless(expression)}`,
        `  ${" ".repeat(widthOf(harmless(expression.slice(0, place - 1))))}^`
      ].join("\n")
    })
  }
  return (value: unknown): Effect.Effect<unknown, CliFailure> =>
    Effect.try({
      // The query sees what JSON would show.
      try: (): unknown => TreeInterpreter.search(found.success, JSON.parse(JSON.stringify(value) ?? "null")),
      catch: (error) =>
        new CliFailure({ exit: "usage", message: `--query cannot be answered: ${reasonOf(messageOf(error))}` })
    })
})
