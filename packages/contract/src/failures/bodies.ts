import { Schema } from "effect"

export const ValidationIssue = Schema.Struct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  msg: Schema.String,
  type: Schema.String
}).annotate({ identifier: "ValidationError" })
export type ValidationIssue = typeof ValidationIssue.Type

/** The most entries in a 422. */
export const issuesListed = 100

/** The numbers of a refusal at a ceiling, all in one unit. */
export const Ceiling = Schema.Struct({
  requested: Schema.Int,
  used: Schema.Int,
  limit: Schema.Int,
  remaining: Schema.Int
}).annotate({ identifier: "Ceiling" })
export type Ceiling = typeof Ceiling.Type

/** Where an upstream stopped an operation of several steps. */
interface Stopped {
  readonly at: string
  readonly words: string
  readonly transient: boolean
}

export interface Applied extends Stopped {
  /** What was written before. */
  readonly applied: ReadonlyArray<string>
}

export interface Left extends Stopped {
  /** What the rollback could not remove. */
  readonly left: ReadonlyArray<string>
}
