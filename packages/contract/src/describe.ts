import { Context, Record, Schema } from "effect"
import { OpenApi } from "effect/http-api"

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

/** How a caller waits for what an operation began. */
export interface Waiting {
  /**
   * The operation to call again, as `group.endpoint`. Its path parameters are
   * fields of the response, and otherwise those of the request: a restore
   * answers with the name of the new database.
   */
  readonly read: string
  /** The field of its response that says how far the work is. */
  readonly field: string
  /** The values of the field with which the work is done. */
  readonly done: ReadonlyArray<string>
  /** The values with which it does not go on by itself. */
  readonly failed: ReadonlyArray<string>
  /** The work is done when what is read is a 404. */
  readonly gone?: true
  /** The topic whose events say that something has changed, keyed by the identifier. */
  readonly topic?: string
}

/** Set where the response comes before the work is done. */
export const LongRunning = Context.Reference<Waiting | undefined>("portico/contract/LongRunning", {
  defaultValue: () => undefined
})

/** Whether what the operation makes, or makes larger, is billed. */
export const Billed = Context.Reference<boolean>("portico/contract/Billed", { defaultValue: () => false })
