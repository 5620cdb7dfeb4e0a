/** Before an entry is added to a map in the order of age: the oldest one goes when there are as many as may be. */
export const makeRoom = <K>(entries: Map<K, unknown>, capacity: number): void => {
  const [oldest] = entries.keys()
  if (entries.size >= capacity && oldest !== undefined) entries.delete(oldest)
}

/**
 * Answers that may be given again for a while, each by its key. It is read by
 * every request and therefore changed by none of them: a map through which
 * keys pass all the time, as through an Effect `Cache`, which moves what it
 * finds to its end, leaves outgrown tables behind, and V8 holds all that was in
 * them until its next full collection.
 */
export class TtlCache<A> {
  readonly #entries = new Map<string, { readonly value: A; readonly until: number }>()
  readonly #capacity: number

  /** @param capacity how many at most; the oldest one goes first */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** @param now milliseconds since the epoch */
  get(key: string, now: number): A | undefined {
    const found = this.#entries.get(key)
    if (found === undefined) return undefined
    if (found.until > now) return found.value
    this.#entries.delete(key)
  }

  /** @param until milliseconds since the epoch */
  keep(key: string, value: A, until: number): void {
    this.#entries.delete(key)
    makeRoom(this.#entries, this.#capacity)
    this.#entries.set(key, { value, until })
  }

  /** @param isMeant of an entry that does not meet it, nothing is forgotten */
  forget(key: string, isMeant: (value: A) => boolean = () => true): void {
    const found = this.#entries.get(key)
    if (found !== undefined && isMeant(found.value)) this.#entries.delete(key)
  }

  /** @param isMeant of an entry that does not meet it, nothing is forgotten */
  forgetAll(isMeant?: (value: A) => boolean): void {
    if (isMeant === undefined) return this.#entries.clear()
    for (const [key, { value }] of this.#entries) if (isMeant(value)) this.#entries.delete(key)
  }
}
