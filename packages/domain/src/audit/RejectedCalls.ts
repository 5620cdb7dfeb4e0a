import { makeRoom } from "@portico/upstream/TtlCache"
import { TokenBucket } from "./TokenBucket.ts"

/** The burst of a tenant's rejected calls that is recorded, and the sustained rate per second. */
export const burst = 60
export const perSecond = 1

/** Few tenants have rejected calls at one time. */
const capacity = 10_000

/**
 * Limits, per tenant, how many calls rejected with 429 are recorded. Nothing else limits the rate
 * of such calls, and they change nothing. A client that never stops must not fill the database, nor
 * the audit of its own tenant.
 */
export class RejectedCalls {
  readonly #buckets = new Map<string, TokenBucket>()

  /** The bucket of the tenant of this project. */
  of(projectId: string): TokenBucket {
    const held = this.#buckets.get(projectId)
    if (held !== undefined) return held
    makeRoom(this.#buckets, capacity)
    const bucket = new TokenBucket(burst, perSecond)
    this.#buckets.set(projectId, bucket)
    return bucket
  }
}
