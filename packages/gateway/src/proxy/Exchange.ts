import { idempotencyKeyHeader } from "@portico/contract/Idempotency"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { IncomingCall } from "../limits/admission.ts"
import { addLimitHeaders } from "../limits/Meter.ts"
import { headersOfAnswers } from "../middleware/headers.ts"
import type { OpenCall } from "../streams/OpenCall.ts"

/** A request that bypasses the router. */
export interface RawCall extends IncomingCall {
  readonly from: IncomingMessage
  /** 32 hex digits. */
  readonly requestId: string
  /** Ends the call when the caller loses the right to it. */
  readonly open: OpenCall
}

/** One request on its way through a proxy, with its sockets. */
export interface Exchange extends RawCall {
  readonly to: ServerResponse
  /** Path and query on which a proxy decides. */
  readonly target: string
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** Whether the client's paths contain the service's version; its answers may then contain such paths too. */
  readonly versioned: boolean
  /** The gateway's address as the client reached it, without a trailing slash: `https://api.example.org`. */
  readonly own: string
  /** The prefix of the platform's services as the client spells it. */
  readonly prefix: string
  /** Marks the answer as endless: it is cut off when the plane stops. */
  outlasting(): void
  /** Records the call with the status of its answer, which may go on for days. Only the first record counts. */
  record(status: number): void
}

/** Whether the client sends a body of at least one byte. */
export const hasBody = (from: IncomingMessage): boolean =>
  from.headers["transfer-encoding"] !== undefined || Number(from.headers["content-length"] ?? 0) > 0

/**
 * Whether the client expects a call to be carried out at most once, which the gateway cannot guarantee for an
 * upstream. A PUT or a DELETE is idempotent by itself.
 */
export const promisesOnce = ({ headers, method }: Pick<IncomingMessage, "headers" | "method">): boolean =>
  (method === "POST" || method === "PATCH") && headers[idempotencyKeyHeader] !== undefined

/** The gateway's own headers of an answer: name, value, name, value. */
export const ownHeaders = (call: Pick<RawCall, "meter" | "requestId">): ReadonlyArray<string> => {
  const headers: Array<string> = []
  addOwnHeaders(headers, call)
  return headers
}

/** Adds {@link ownHeaders} to the head of an answer. */
export const addOwnHeaders = (
  head: Array<string>,
  { meter, requestId }: Pick<RawCall, "meter" | "requestId">
): void => {
  head.push("X-Request-Id", requestId)
  addLimitHeaders(head, meter)
}

/** The gateway's own answer. */
export interface OwnAnswer {
  readonly status: number
  readonly body: unknown
  /** The media type of a body that is a text; without one the body is sent as JSON. */
  readonly type?: string
}

/** Sends an answer of the gateway's own. */
export const sendOwn = (
  to: ServerResponse,
  { body, status, type }: OwnAnswer,
  headers: ReadonlyArray<string>
): void => {
  const bytes = Buffer.from(type === undefined ? JSON.stringify(body) : String(body))
  const content = ["Content-Type", type ?? "application/json", "Content-Length", String(bytes.length)]
  to.writeHead(status, [...content, ...headersOfAnswers, ...headers])
  to.end(bytes)
}
