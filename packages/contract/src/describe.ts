import { Context, Record, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import type { Waiting } from "./waiting.ts"

/**
 * What readers of the document, the command line and the tools see of an
 * operation: an imperative of at most 60 characters, and Markdown on what it
 * does and needs. Plane, tier, idempotency and the kind of secret in its
 * response are added from its other annotations (`openapi/access.ts`).
 */
export const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** What readers see of a group of operations. */
export const titled = (title: string, description: string) => OpenApi.annotations({ title, description })

/** A string out of a few, each with its meaning. */
export const meanings = <const Value extends string>(
  description: string,
  values: Record.ReadonlyRecord<Value, string>
) =>
  Schema.Literals(Record.keys(values)).annotate({
    description: [
      description,
      Object.entries(values)
        .map(([value, meaning]) => `- \`${value}\`: ${meaning}`)
        .join("\n")
    ].join("\n\n")
  })

/** Set where the response comes before the work is done. */
export const LongRunning = Context.Reference<Waiting | undefined>("portico/contract/LongRunning", {
  defaultValue: () => undefined
})

/** Whether what the operation makes, or makes larger, is billed. */
export const Billed = Context.Reference<boolean>("portico/contract/Billed", { defaultValue: () => false })
