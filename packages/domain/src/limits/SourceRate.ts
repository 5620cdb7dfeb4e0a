/**
 * The dead tokens that a source may bring at once before its unknown tokens wait, and how many of
 * them are forgotten a second.
 */
export const deadBurst = 100
export const perSecond = 20
/** The longest wait of an unknown token for its turn, in milliseconds. */
export const longestWait = 4_000

/** Retries of rejected tokens have their own lane beside tokens never seen before. */
export type Lane = "new" | "returning"

/** The recent behaviour of one source: an IPv4 address or a /64 of IPv6. Times are milliseconds since the epoch. */
export class SourceRate {
  #dead = 0
  #at = 0
  readonly #next: Record<Lane, number> = { new: 0, returning: 0 }

  /** A token or login of the source was dead. */
  noteDead(now: number): void {
    this.#settle(now)
    this.#dead += 1
  }

  /** A token that counted as dead was the secret of a valid login. */
  absolve(now: number): void {
    this.#settle(now)
    this.#dead = Math.max(0, this.#dead - 1)
  }

  /** Whether the source brought so many dead tokens that its unknown ones take turns. */
  isHeld(now: number): boolean {
    this.#settle(now)
    return this.#dead >= deadBurst
  }

  /** Takes the next turn and returns the milliseconds until then; undefined when the wait would be too long. */
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
