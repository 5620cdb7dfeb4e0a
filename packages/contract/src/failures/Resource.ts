import type { ValidationIssue } from "./bodies.ts"

/** The classes of failures and their statuses. A 422 is a list of mistakes, or one sentence. */
export const statuses = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  Conflict: 409,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  Unprocessable: 422,
  TooManyRequests: 429,
  Internal: 500,
  BadGateway: 502,
  Unavailable: 503
} as const

export type Tag = keyof typeof statuses

/** Methods, so that records with arguments of their own fit; `constructors` holds their examples to these arguments. */
interface Told {
  detail(...args: ReadonlyArray<unknown>): string | ReadonlyArray<ValidationIssue>
  more(...args: ReadonlyArray<unknown>): object
}

/** All that there is of a failure: it has one stable code, which no other record has. */
export interface FailureRecord {
  readonly code: string
  /** The text of the answer, which is contract. */
  readonly detail: string | Told["detail"]
  /** What the body has besides, of the same arguments. */
  readonly more?: Told["more"]
  /** Arguments of `detail`, for the example in the OpenAPI document. */
  readonly example?: ReadonlyArray<unknown>
  /** What causes it, and what the caller can do: `docs/tenants/errors.md` is made of them. */
  readonly cause: string
  readonly fix: string
}

/** By the name of its constructor. */
export type Records = Readonly<Record<string, FailureRecord>>

/** The failures of a resource, by class. */
export type Resource = { readonly [T in Tag]?: Records }
