import { Context, Effect } from "effect"
import { text } from "node:stream/consumers"
import process from "node:process"

/** All of standard input, as text. A test has its own. */
export const StandardInput = Context.Reference<Effect.Effect<string>>("portico/cli/StandardInput", {
  defaultValue: () => Effect.promise(() => text(process.stdin))
})
