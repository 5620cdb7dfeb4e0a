import { makeRoom } from "@portico/upstream/TtlCache"

/** A token bucket: admits a burst and then a sustained rate per second, and counts what it drops. */
export class TokenBucket {
  readonly #burst: number
  readonly #perSecond: number
  #tokens: number
  #at = 0
  #dropped = 0

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#tokens = burst
  }

  /** Whether one more record is admitted. @param now milliseconds since the epoch */
  mayBeRecorded(now: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + (Math.max(0, now - this.#at) / 1000) * this.#perSecond)
    this.#at = now
    if (this.#tokens < 1) {
      this.#dropped += 1
      return false
    }
    this.#tokens -= 1
    return true
  }

  /** Returns the number dropped since the last call, and resets it. */
  takeDropped(): number {
    const count = this.#dropped
    this.#dropped = 0
    return count
  }
}

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
