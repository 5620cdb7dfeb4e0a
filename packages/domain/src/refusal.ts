import { BadGateway, Conflict, Unprocessable } from "@portico/contract/Failures"
import type { UpstreamError } from "@portico/upstream/UpstreamError"

/** What an upstream's failure is to a caller. */
export type Refusal = Conflict<"upstream_conflict"> | Unprocessable<"upstream_refused"> | BadGateway<"upstream_failed">

/**
 * An upstream's failure as a caller's, in the upstream's own words. What it can
 * never do is 422; what it refuses because of how things are there, or because
 * a quota is used up, is 409 (413 is how some services spell that); everything
 * else, a 403 of the gateway's own identity among it, is 502.
 */
export const refusal = (error: UpstreamError): Refusal => {
  switch (error.status) {
    case 400:
    case 422:
      return Unprocessable.upstream(error.words)
    case 409:
    case 413:
      return Conflict.upstream(error.words)
    default:
      return BadGateway.upstream(error.sentence, error.transient)
  }
}
