import { makeRoom } from "@portico/upstream/TtlCache"
/** Counts recent failures by a name that a client chose. */
export class Throttle {
  readonly #counts = new Map<string, { count: number; readonly until: number }>()
  readonly #limit: number
  readonly #window: number
  readonly #capacity: number

  /**
   * @param limit how often within the window
   * @param window milliseconds from the first time on
   * @param capacity how many names are remembered; the oldest goes first
   */
  constructor(limit: number, window: number, capacity = 10_000) {
    this.#limit = limit
    this.#window = window
    this.#capacity = capacity
  }

  /** Milliseconds until the name is allowed again; 0 when it is allowed now. */
  wait(name: string, now: number): number {
    const found = this.#counts.get(name)
    return found === undefined || found.until <= now || found.count < this.#limit ? 0 : found.until - now
  }

  count(name: string, now: number): void {
    const found = this.#counts.get(name)
    if (found !== undefined && found.until > now) {
      found.count += 1
      return
    }
    this.#counts.delete(name)
    makeRoom(this.#counts, this.#capacity)
    this.#counts.set(name, { count: 1, until: now + this.#window })
  }
}
