import { idempotencyKeyHeader } from "@portico/contract/Idempotency"
import type { Source } from "@portico/domain/access/networks"
import type { Plane } from "@portico/domain/health/readiness"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AuditDraft } from "../audit/AuditDraft.ts"
import type { OpenCall } from "../streams/OpenCall.ts"
import { limitHeaders, type Meter } from "../limits/Meter.ts"

/** One request on its way through a proxy, with the sockets that it goes over. */
export interface Exchange {
  readonly from: IncomingMessage
  readonly to: ServerResponse
  /** Path and query, as a proxy decides on them. */
  readonly target: string
  /** The header that says who calls. */
  readonly authorization: string | undefined
  /** Whether the client spells paths with the service's version, and so understands references that do. */
  readonly versioned: boolean
  /** Where it came in. */
  readonly plane: Plane
  /** 32 hex digits. */
  readonly requestId: string
  /** The client's address. */
  readonly source: Source
  /** Where the record of the call comes from; without one the call is not recorded. */
  readonly draft: AuditDraft | undefined
  /** Where the call is counted; undefined where nothing is limited. */
  readonly meter: Meter | undefined
  /** What ends it when the caller loses the right to it. */
  readonly open: OpenCall
  /** Where the client reached the gateway, without a slash at the end: `https://api.example.org`. */
  readonly own: string
  /** Says that the answer may have no end: it is cut off when the plane stops. */
  outlasting(): void
  /** Records the call with the status of its answer, which may go on for days; only the first record counts. */
  answered(status: number): void
}

/** Whether the client sends a body; one of no bytes is none. */
export const hasBody = (from: IncomingMessage): boolean =>
  from.headers["transfer-encoding"] !== undefined || Number(from.headers["content-length"] ?? 0) > 0

/**
 * Whether the client counts on a call being carried out once, which nobody
 * behind a proxy can promise. A PUT or a DELETE is repeatable by itself.
 */
export const promisesOnce = ({ headers, method }: Pick<IncomingMessage, "headers" | "method">): boolean =>
  (method === "POST" || method === "PATCH") && headers[idempotencyKeyHeader] !== undefined

/** The gateway's own headers of an answer: name, value, name, value. */
export const ownHeaders = ({ meter, requestId }: Pick<Exchange, "meter" | "requestId">): ReadonlyArray<string> => [
  "X-Request-Id",
  requestId,
  ...limitHeaders(meter)
]
