import { type Context, Effect } from "effect"
import type { logCreator } from "kafkajs"

/**
 * The fields of a log line that are kept beside the message. Others may contain
 * stacks, errors with parts of statements, and messages.
 */
const keptFields = ["broker", "groupId", "retryCount", "topic", "partition"] as const

/** Forwards the library's log at debug level, for diagnosis. The gateway logs the consequences itself. */
export const logging =
  (context: Context.Context<never>): logCreator =>
  () =>
  ({ log, namespace }) => {
    const facts = Object.fromEntries(
      keptFields.flatMap((name) => {
        const value: unknown = log[name]
        return typeof value === "string" || typeof value === "number" ? [[name, value]] : []
      })
    )
    Effect.runForkWith(context)(
      Effect.logDebug(`kafka: ${log.message}`).pipe(Effect.annotateLogs({ part: namespace, ...facts }))
    )
  }
