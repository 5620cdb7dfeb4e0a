import { TtlCache } from "@portico/upstream/TtlCache"

/** A second look that comes sooner says nothing: what was made a moment ago may not be visible yet. In milliseconds. */
const apart = 1_000
/** How long what was found dead twice is not looked at again, in milliseconds. */
const believed = 5_000
/** How long a first look is remembered, in milliseconds. */
const suspected = 60_000
const capacity = 20_000

/** Tokens and logins that were found dead twice, a second apart at least: for a few seconds nobody is asked about them. */
export class DeadMemory {
  readonly #suspects = new TtlCache<number>(capacity)
  readonly #dead = new TtlCache<true>(capacity)

  /** @param now milliseconds since the epoch */
  has(key: string, now: number): boolean {
    return this.#dead.get(key, now) === true
  }

  /** It was found dead. */
  note(key: string, now: number): void {
    const first = this.#suspects.get(key, now)
    if (first === undefined) this.#suspects.keep(key, now, now + suspected)
    else if (now - first >= apart) this.#dead.keep(key, true, now + believed)
  }

  /** It was found good. */
  forget(key: string): void {
    this.#suspects.forget(key)
    this.#dead.forget(key)
  }
}
