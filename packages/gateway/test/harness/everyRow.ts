import { assert } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { inspect } from "node:util"

/**
 * Runs the rows of a table one after another in one test, which costs less than a test for each. It fails once, with the
 * name of every row that is wrong, what was wanted there and what came.
 */
export const everyRow = <R>(
  rows: ReadonlyArray<readonly [name: string, story: Effect.Effect<unknown, unknown, R>]>
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    assert.isNotEmpty(rows)
    const wrong: Array<string> = []
    for (const [name, story] of rows) {
      const exit = yield* Effect.exit(story)
      if (Exit.isFailure(exit)) wrong.push(`${name}: ${explained(Cause.squash(exit.cause))}`)
    }
    if (wrong.length > 0) assert.fail(`${wrong.length} of ${rows.length} rows are wrong:\n${wrong.join("\n")}`)
  })

const explained = (error: unknown): string => {
  if (!(error instanceof Error)) return inspect(error)
  if (!("actual" in error && "expected" in error)) return error.stack ?? error.message
  return `${error.message}\n  wanted ${shown(error.expected)}\n  got    ${shown(error.actual)}`
}

const shown = (value: unknown): string => inspect(value, { depth: 10, breakLength: Infinity })
