import { BadGateway, Conflict, Unprocessable } from "@portico/contract/Failures"
import type { UpstreamError } from "@portico/upstream/UpstreamError"

/** An upstream's failure as the caller sees it. */
export type Refusal = Conflict<"upstream_conflict"> | Unprocessable<"upstream_refused"> | BadGateway<"upstream_failed">

/**
 * Maps an upstream's failure to the caller's, with the upstream's own message. A request that can
 * never succeed (400, 422) becomes 422. A request that conflicts with the upstream's state or
 * exceeds a quota becomes 409; some services report a quota as 413. Everything else becomes 502,
 * including a 403 of the gateway's own identity.
 */
export const refusal = (error: UpstreamError): Refusal => {
  switch (error.status) {
    case 400:
    case 422:
      return Unprocessable.upstream(error.detail)
    case 409:
    case 413:
      return Conflict.upstream(error.detail)
    default:
      return BadGateway.upstream(error.summary, error.transient)
  }
}
