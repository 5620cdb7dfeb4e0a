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
