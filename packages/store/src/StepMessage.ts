import { Schema } from "effect"

/**
 * A step, and the message of what failed there. Columns name the message `words`, because replicas of an earlier
 * release read them.
 */
export const StepMessage = Schema.Struct({ step: Schema.String, message: Schema.String }).pipe(
  Schema.encodeKeys({ message: "words" })
)
export type StepMessage = typeof StepMessage.Type

export const stored = ({ message, step }: StepMessage) => ({ step, words: message })
