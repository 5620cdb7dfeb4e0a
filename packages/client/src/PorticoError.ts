import type { ValidationIssue } from "@portico/contract/failures/bodies"
import type { Named } from "./types.ts"

/**
 * Codes of the client itself. `unreachable`: no answer came, or no whole one.
 * `unexpected_response`: an answer that is not the gateway's, such as the error
 * page of a proxy. `login_failed`: the identity provider gave no token.
 * `gave_up`: a wait was over before the work, which goes on. `work_failed`: the
 * work that was waited for failed, and does not go on by itself.
 */
export type ClientCode = "unreachable" | "unexpected_response" | "login_failed" | "gave_up" | "work_failed"

interface Details {
  readonly detail: string
  /** 0 when there was no answer. */
  readonly status: number
  readonly operation?: string | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly issues?: ReadonlyArray<ValidationIssue> | undefined
  readonly body?: unknown
  readonly cause?: unknown
}

/** Every failure of a call but its abortion, which is the reason of its signal. */
export class PorticoError<Code extends string = string> extends Error {
  override readonly name = "PorticoError"
  /** Stable, for programs. */
  readonly code: Code
  /** For people. */
  readonly detail: string
  readonly status: number
  /** `credentials.mint`; empty for a call by path. */
  readonly operation: string
  /** `X-Request-Id` of the answer: what an operator finds in the log. */
  readonly requestId: string | undefined
  /** Seconds after which the same call may be made again. */
  readonly retryAfter: number | undefined
  /** What does not fit the schema, of a `validation_error`. */
  readonly issues: ReadonlyArray<ValidationIssue>
  /** The whole body: some failures have more, such as `ceiling`, `admission`, `applied` and `left`. */
  readonly body: unknown

  constructor(code: Code, details: Details) {
    super(`${code}: ${details.detail}`, { cause: details.cause })
    this.code = code
    this.detail = details.detail
    this.status = details.status
    this.operation = details.operation ?? ""
    this.requestId = details.requestId
    this.retryAfter = details.retryAfter
    this.issues = details.issues ?? []
    this.body = details.body
  }
}

/**
 * Whether a call of the operation failed so; `error.code` is then one of its
 * codes, or one of the client's own.
 */
export const isFailure = <Code extends string>(
  error: unknown,
  of: Named<Code>
): error is PorticoError<Code | ClientCode> => error instanceof PorticoError && error.operation === of.operation
