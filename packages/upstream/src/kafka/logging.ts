import { type Context, Effect } from "effect"
import type { logCreator } from "kafkajs"

/** What else of a line is kept. The rest may hold stacks, errors with parts of statements, and messages. */
const kept = ["broker", "groupId", "retryCount", "topic", "partition"] as const

/** Takes the library's log into ours, for whoever looks for the cause of something: what comes of it we say ourselves. */
export const logging =
  (context: Context.Context<never>): logCreator =>
  () =>
  ({ log, namespace }) => {
    const facts = Object.fromEntries(
      kept.flatMap((name) => {
        const value: unknown = log[name]
        return typeof value === "string" || typeof value === "number" ? [[name, value]] : []
      })
    )
    Effect.runForkWith(context)(
      Effect.logDebug(`kafka: ${log.message}`).pipe(Effect.annotateLogs({ part: namespace, ...facts }))
    )
  }
