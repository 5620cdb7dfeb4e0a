import { TtlCache } from "@portico/upstream/TtlCache"

/**
 * The least time between two look-ups that count, in milliseconds: a token made a moment ago may
 * not be visible yet.
 */
const minimumGap = 1_000
/** How long a key that was found dead twice is not looked up again, in milliseconds. */
const deadMillis = 5_000
/** How long the first dead result is remembered, in milliseconds. */
const suspectMillis = 60_000
const capacity = 20_000

/**
 * Remembers for a few seconds the tokens and logins that two look-ups, at least a second apart,
 * found dead. The identity provider is not asked about them meanwhile.
 */
export class DeadMemory {
  readonly #suspects = new TtlCache<number>(capacity)
  readonly #dead = new TtlCache<true>(capacity)

  /** @param now milliseconds since the epoch */
  has(key: string, now: number): boolean {
    return this.#dead.get(key, now) === true
  }

  /** Records that a look-up found it dead. */
  note(key: string, now: number): void {
    const first = this.#suspects.get(key, now)
    if (first === undefined) this.#suspects.keep(key, now, now + suspectMillis)
    else if (now - first >= minimumGap) this.#dead.keep(key, true, now + deadMillis)
  }

  /** Records that a look-up found it valid. */
  forget(key: string): void {
    this.#suspects.forget(key)
    this.#dead.forget(key)
  }
}
