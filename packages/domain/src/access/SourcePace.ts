/** Dead tokens that a source may bring at once before its unknown tokens have to wait, and how many a second are forgotten. */
export const deadBurst = 100
export const perSecond = 20
/** An unknown token waits no longer for its turn, in milliseconds. */
export const longestWait = 4_000

/** Tokens that were refused a turn and came again are served beside those that nobody has seen yet. */
export type Lane = "new" | "returning"

/** What one source, an IPv4 address or a /64 of IPv6, brought lately. Times are milliseconds since the epoch. */
export class SourcePace {
  #dead = 0
  #at = 0
  readonly #next: Record<Lane, number> = { new: 0, returning: 0 }

  /** A token or login of it was dead. */
  noteDead(now: number): void {
    this.#settle(now)
    this.#dead += 1
  }

  /** What was taken for dead was the secret of a good login. */
  absolve(now: number): void {
    this.#settle(now)
    this.#dead = Math.max(0, this.#dead - 1)
  }

  /** Whether it brought so many dead ones that its unknown tokens take turns. */
  isHeld(now: number): boolean {
    this.#settle(now)
    return this.#dead >= deadBurst
  }

  /** Milliseconds until the next turn, which is then taken; undefined when there are too many before it. */
  turn(lane: Lane, now: number): number | undefined {
    const at = Math.max(now, this.#next[lane])
    if (at - now > longestWait) return undefined
    this.#next[lane] = at + 1000 / perSecond
    return at - now
  }

  #settle(now: number): void {
    this.#dead = Math.max(0, this.#dead - (Math.max(0, now - this.#at) / 1000) * perSecond)
    this.#at = now
  }
}
