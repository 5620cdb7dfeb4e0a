import { Conflict, Unprocessable } from "@portico/contract/Failures"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { type Refusal, refusal } from "../refusal.ts"

/**
 * An upstream's failure as a caller's, as everywhere. Of Kubernetes' 403s two
 * are no matter of the gateway's own rights: an operator's webhook says so of
 * what it will never take, and a quota, or a namespace that is going, of what
 * it does not take as things are.
 */
export const refused = (error: UpstreamError): Refusal => {
  if (error.upstream !== "kubernetes" || error.status !== 403) return refusal(error)
  if (/^admission webhook .* denied the request/.test(error.words)) return Unprocessable.upstream(error.words)
  return /exceeded quota|is being terminated/.test(error.words) ? Conflict.upstream(error.words) : refusal(error)
}
