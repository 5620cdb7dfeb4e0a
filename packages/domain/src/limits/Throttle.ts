interface Waiting {
  readonly cost: number
  readonly goOn: () => void
}

/**
 * Bytes that all together may pass on until the amount is renewed. What exceeds it waits in order of arrival. What costs
 * more than the whole amount waits apart, where nothing smaller waits behind it, and the next one of its kind goes on
 * when as many amounts have passed.
 */
export class Throttle {
  readonly #budget: number
  readonly #later: (renew: () => void) => void
  readonly #waiting: Array<Waiting> = []
  readonly #large: Array<Waiting> = []
  #left: number
  /** What the last large one has still to wait out. */
  #debt = 0
  #isRenewing = false

  /** @param later schedules the renewal */
  constructor(budget: number, later: (renew: () => void) => void) {
    this.#budget = budget
    this.#left = budget
    this.#later = later
  }

  /** Pays, and returns whether the turn is now. */
  take(cost: number): boolean {
    const isLarge = cost > this.#budget
    if (isLarge ? this.#debt > 0 : this.#left <= 0 || this.#waiting.length > 0) return false
    if (isLarge) this.#debt = cost
    else this.#left -= cost
    this.#renewLater()
    return true
  }

  /**
   * Calls `goOn` when the turn comes: at once, or later.
   *
   * @returns gives up the turn
   */
  wait(cost: number, goOn: () => void): () => void {
    if (this.take(cost)) {
      goOn()
      return () => {}
    }
    const waiting = { cost, goOn }
    const queue = cost > this.#budget ? this.#large : this.#waiting
    queue.push(waiting)
    this.#renewLater()
    return () => {
      const at = queue.indexOf(waiting)
      if (at >= 0) queue.splice(at, 1)
    }
  }

  #renewLater(): void {
    if (this.#isRenewing) return
    this.#isRenewing = true
    this.#later(() => this.#renew())
  }

  #renew(): void {
    this.#isRenewing = false
    this.#left = this.#budget
    this.#debt = Math.max(0, this.#debt - this.#budget)
    while (this.#left > 0) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      this.#left -= next.cost
      next.goOn()
    }
    const large = this.#debt === 0 ? this.#large.shift() : undefined
    if (large !== undefined) {
      this.#debt = large.cost
      large.goOn()
    }
    if (this.#waiting.length > 0 || this.#debt > 0) this.#renewLater()
  }
}
