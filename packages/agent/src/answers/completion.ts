import { Effect } from "effect"
import { McpSchema } from "effect/ai"

/** The most values of a completion, by the protocol. */
const most = 100

/** Completes the input of a client to values that begin with it. */
export const completionOf = (values: ReadonlyArray<string>) => (input: string) => {
  const found = values.filter((_) => _.startsWith(input))
  return Effect.succeed(
    McpSchema.CompleteResult.make({
      completion: { values: found.slice(0, most), total: found.length, hasMore: found.length > most }
    })
  )
}
