import { makeRoom } from "@portico/upstream/TtlCache"
import { TokenBucket } from "./TokenBucket.ts"

/** So many refused calls of a tenant are recorded at once, and so many a second afterwards. */
export const burst = 60
export const perSecond = 1

/** Tenants that were refused something lately are few. */
const capacity = 10_000

/**
 * How many of a tenant's calls may still be recorded that were refused with a
 * 429. Nothing limits how often those are made, and they change nothing: a
 * client that does not stop must not fill the database, nor the audit of its
 * own tenant.
 */
export class RejectedCalls {
  readonly #buckets = new Map<string, TokenBucket>()

  /** Of the tenant of this project. */
  of(projectId: string): TokenBucket {
    const held = this.#buckets.get(projectId)
    if (held !== undefined) return held
    makeRoom(this.#buckets, capacity)
    const bucket = new TokenBucket(burst, perSecond)
    this.#buckets.set(projectId, bucket)
    return bucket
  }
}
