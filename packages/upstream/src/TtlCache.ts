/** Removes the oldest entry of a full map, before a new one is added. The map is in order of age. */
export const makeRoom = <K>(entries: Map<K, unknown>, capacity: number): void => {
  const [oldest] = entries.keys()
  if (entries.size >= capacity && oldest !== undefined) entries.delete(oldest)
}

/**
 * A cache with a TTL per entry. Every request reads it, so a read does not
 * change it. A map whose keys move all the time, such as an Effect `Cache`,
 * which moves each hit to its end, leaves outgrown tables behind. V8 keeps
 * everything in those until its next full collection.
 */
export class TtlCache<A> {
  readonly #entries = new Map<string, { readonly value: A; readonly until: number }>()
  readonly #capacity: number

  /** @param capacity the most entries; the oldest one is removed first */
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

  /** @param isMeant the entry is removed only if it returns true */
  forget(key: string, isMeant: (value: A) => boolean = () => true): void {
    const found = this.#entries.get(key)
    if (found !== undefined && isMeant(found.value)) this.#entries.delete(key)
  }

  /** @param isMeant selects the entries to remove; all without it */
  forgetAll(isMeant?: (value: A) => boolean): void {
    if (isMeant === undefined) return this.#entries.clear()
    for (const [key, { value }] of this.#entries) if (isMeant(value)) this.#entries.delete(key)
  }
}
