import { Context, Effect } from "effect"
import { buffer } from "node:stream/consumers"
import process from "node:process"
import { textOf } from "./utf8.ts"

/** All of standard input. A test has its own. */
export const StandardInput = Context.Reference<Effect.Effect<Uint8Array>>("portico/cli/StandardInput", {
  defaultValue: () => Effect.promise(() => buffer(process.stdin))
})

/** All of standard input, as text; a usage error where it is not UTF-8. */
export const standardText = Effect.gen(function* () {
  return yield* textOf("Standard input", yield* yield* StandardInput)
})
