/** So many calls of nobody known are recorded at once, and so many a second afterwards. */
export const burst = 1_000
export const perSecond = 5

/**
 * How many calls without a known caller may still be recorded. Anybody can
 * make them, and each would be a row that is kept for a month: whoever floods
 * the gateway must not fill its database, nor push aside what known callers
 * did.
 */
export class Strangers {
  #room = burst
  #at = 0
  #passedOver = 0

  /** Whether one more is recorded. @param now milliseconds since the epoch */
  mayBeRecorded(now: number): boolean {
    this.#room = Math.min(burst, this.#room + (Math.max(0, now - this.#at) / 1000) * perSecond)
    this.#at = now
    if (this.#room < 1) {
      this.#passedOver += 1
      return false
    }
    this.#room -= 1
    return true
  }

  /** How many were passed over since this was asked last. */
  passedOver(): number {
    const count = this.#passedOver
    this.#passedOver = 0
    return count
  }
}
