import type { ValidationIssue } from "./bodies.ts"

/** The classes of failures and their statuses. A 422 has a list of validation errors, or one sentence. */
export const statuses = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestTimeout: 408,
  Conflict: 409,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  Unprocessable: 422,
  TooManyRequests: 429,
  Internal: 500,
  NotImplemented: 501,
  BadGateway: 502,
  Unavailable: 503
} as const

export type Tag = keyof typeof statuses

/**
 * Methods and not function fields, so that records with their own parameters
 * are assignable. `constructors` checks their examples against these
 * parameters.
 */
interface Templates {
  detail(...args: ReadonlyArray<unknown>): string | ReadonlyArray<ValidationIssue>
  more(...args: ReadonlyArray<unknown>): object
}

/** Everything about a failure. Its code is stable and unique. */
export interface FailureRecord {
  readonly code: string
  /** The text of the response, which is part of the contract. */
  readonly detail: string | Templates["detail"]
  /** Further fields of the body, from the same arguments. */
  readonly more?: Templates["more"]
  /** Arguments of `detail`, for the example in the OpenAPI document. */
  readonly example?: ReadonlyArray<unknown>
  /** The cause, and what the caller can do: `docs/tenants/errors.md` is generated from both. */
  readonly cause: string
  readonly fix: string
}

/** Records by the name of their constructor. */
export type Records = Readonly<Record<string, FailureRecord>>

/** The failures of a resource, by class. */
export type Resource = { readonly [T in Tag]?: Records }
