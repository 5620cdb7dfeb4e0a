import { Schema } from "effect"

export const ValidationIssue = Schema.Struct({
  loc: Schema.Array(
    Schema.Union([Schema.String, Schema.Int]).annotate({
      description:
        "A part of the request (`body`, `query`, `path` or `header`), the name of a field, or a place in a list."
    })
  ).annotateKey({
    description:
      "The place of the error, from the outside in: the part of the request, then names of fields and places in lists, counted from 0."
  }),
  msg: Schema.String.annotateKey({
    description: "The error, for people. It never repeats the value that was sent."
  }),
  type: Schema.String.annotateKey({
    description:
      "The kind of error, for programs, such as `missing`, `extra_forbidden`, `value_error`, `string_type` or `json_invalid`."
  })
}).annotate({ identifier: "ValidationError", description: "One error in a request." })
export type ValidationIssue = typeof ValidationIssue.Type

/** The most entries in a 422. */
export const issuesListed = 100

export const Ceiling = Schema.Struct({
  requested: Schema.Int.annotateKey({ description: "The amount that the call asks for." }),
  used: Schema.Int.annotateKey({ description: "The amount that the tenant has already." }),
  limit: Schema.Int.annotateKey({ description: "The most that the tenant may have." }),
  remaining: Schema.Int.annotateKey({
    description: "The amount that the tenant could still get: `limit` less `used`, never below 0."
  })
}).annotate({
  identifier: "Ceiling",
  description: "The numbers of a refusal at a ceiling, all in the unit that `detail` names."
})
export type Ceiling = typeof Ceiling.Type

/** Where an upstream stopped an operation of several steps. */
interface Stopped {
  readonly at: string
  readonly message: string
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
