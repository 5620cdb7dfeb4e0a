import { Config, Effect, Option, Schema } from "effect"
import { randomInt } from "node:crypto"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** By what number the stories of this run are drawn; none when all of them run. */
    readonly sampleSeed: number | null
  }
}

/** What `PORTICO_TESTS` may be: see vitest.workspace.ts. */
export const chosenTests = ["in-process", "integration", "all"] as const

/**
 * A run with `PORTICO_TESTS` runs every story of the chosen tests. Otherwise a
 * number draws those that run: a new one each time, or that of
 * `PORTICO_TEST_SEED`.
 */
const seed = Effect.gen(function* () {
  const chosen = yield* Config.option(Config.schema(Schema.Literals(chosenTests), "PORTICO_TESTS"))
  const given = yield* Config.option(Config.Int("PORTICO_TEST_SEED"))
  return Option.isSome(chosen) ? null : Option.getOrElse(given, () => randomInt(2 ** 31))
})

export default ({ provide }: TestProject): void => {
  const drawn = Effect.runSync(seed)
  provide("sampleSeed", drawn)
  process.stdout.write(
    drawn === null
      ? "All stories run.\n"
      : `Of stories that are alike some run. The same again: PORTICO_TEST_SEED=${drawn} npm test. All: npm run test:all.\n`
  )
}
