import { Context } from "effect"
import { randomFillSync } from "node:crypto"

/** The id of a request in answers and logs: 32 hex digits. */
export const RequestId = Context.Reference<string>("portico/gateway/RequestId", { defaultValue: () => "" })

/** W3C Trace Context: version 00, ids in lower case and not all zero. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace id of a valid `traceparent`, or a new random one. */
export const requestIdOf = (header: string | undefined): string =>
  (header === undefined ? undefined : traceparent.exec(header)?.[1]) ?? randomId()

/** Random bytes are drawn for many ids at once. */
const bytes = Buffer.alloc(16 * 256)
let used = bytes.length

const randomId = (): string => {
  if (used === bytes.length) {
    randomFillSync(bytes)
    used = 0
  }
  used += 16
  return bytes.toString("hex", used - 16, used)
}

/** The ids by which a request is found in the log, and in exported traces. */
export interface RequestIds {
  readonly request_id: string
  readonly trace_id: string
}

/** Without tracing, the request id serves as the trace id. */
export const untraced = (requestId: string): RequestIds => ({ request_id: requestId, trace_id: requestId })
