import type { Source } from "@portico/domain/access/networks"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Trail } from "../audit/Trail.ts"

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
  /** 32 hex digits. */
  readonly requestId: string
  /** The client's address. */
  readonly source: Source
  /** Where the record of the call comes from; without one the call is not recorded. */
  readonly trail: Trail | undefined
  /** Where the client reached the gateway, without a slash at the end: `https://api.example.org`. */
  readonly own: string
  /** Says that the answer may have no end: it is cut off when the plane stops. */
  outlasting(): void
}

/** Whether the client sends a body; one of no bytes is none. */
export const hasBody = (from: IncomingMessage): boolean =>
  from.headers["transfer-encoding"] !== undefined || Number(from.headers["content-length"] ?? 0) > 0
