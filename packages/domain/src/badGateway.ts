import { BadGateway } from "@portico/contract/Failures"
import type { Taken, UpstreamError } from "@portico/upstream/UpstreamError"

/** An upstream's failure as the contract's 502, with the upstream's own message. */
export const badGateway = (error: UpstreamError | Taken): BadGateway<"upstream_failed"> =>
  BadGateway.upstream(error.summary, error.transient)
