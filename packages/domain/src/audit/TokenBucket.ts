/** Lets so many through at once, and so many a second afterwards; it counts the others. */
export class TokenBucket {
  readonly #burst: number
  readonly #perSecond: number
  #room: number
  #at = 0
  #passedOver = 0

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#room = burst
  }

  /** Whether one more is recorded. @param now milliseconds since the epoch */
  mayBeRecorded(now: number): boolean {
    this.#room = Math.min(this.#burst, this.#room + (Math.max(0, now - this.#at) / 1000) * this.#perSecond)
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
