import { makeRoom } from "@portico/upstream/TtlCache"
import { TokenBucket } from "../limits/TokenBucket.ts"

interface Rate {
  readonly burst: number
  /** Sustained. */
  readonly perSecond: number
}

/** How many records of a tenant's calls beyond its rate limit are kept. Nothing else limits how often such calls come. */
export const beyondRate: Rate = { burst: 60, perSecond: 1 }

/** How many records of a tenant's other refused calls are kept. */
export const refused: Rate = { burst: 1_000, perSecond: 5 }

/** Few tenants have rejected calls at one time. */
const capacity = 10_000

/**
 * Limits, per tenant, how many refused calls are recorded. Refused calls change nothing, and a
 * client that repeats them for ever must not fill the database, nor the audit of its own tenant.
 */
export class RejectedCalls {
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #rate: Rate

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** The bucket of the tenant of this project. */
  of(projectId: string): TokenBucket {
    const held = this.#buckets.get(projectId)
    if (held !== undefined) return held
    makeRoom(this.#buckets, capacity)
    const bucket = new TokenBucket(this.#rate.burst, this.#rate.perSecond)
    this.#buckets.set(projectId, bucket)
    return bucket
  }
}
