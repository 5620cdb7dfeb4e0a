import { firstBehind } from "../events/Tail.ts"
import type { Entry } from "./entry.ts"
import { isWithin, type Span } from "./scan.ts"

/** The most records kept, and the most characters of their JSON; a character takes two bytes at worst. */
export const ringSize = 10_000
export const ringCharacters = 8 * 1024 * 1024

interface Item extends Entry {
  readonly characters: number
}

/**
 * The newest records of the log, of all replicas, in the log's order. It has everything after
 * {@link floor} up to {@link newest}, and answers nothing that it cannot prove.
 */
export class Ring {
  #items: Array<Item> = []
  /** The index of the oldest kept record; earlier elements are evicted. */
  #first = 0
  #characters = 0
  #floor: number
  #newest: number
  readonly #size: number
  readonly #maxCharacters: number

  /** @param floor the ring has nothing up to this sequence; 0 when the log has nothing older */
  constructor(floor: number, size = ringSize, characters = ringCharacters) {
    this.#floor = floor
    this.#newest = floor
    this.#size = size
    this.#maxCharacters = characters
  }

  /** The largest known sequence; later records have larger ones. */
  get newest(): number {
    return this.#newest
  }

  /** The ring has everything after this sequence. */
  get floor(): number {
    return this.#floor
  }

  add(entry: Entry): void {
    if (entry.sequence <= this.#newest) return
    const characters = JSON.stringify(entry.record)?.length ?? 0
    this.#items.push({ ...entry, characters })
    this.#newest = entry.sequence
    this.#characters += characters
    while (this.#items.length - this.#first > this.#size || this.#characters > this.#maxCharacters) this.#evict()
  }

  #evict(): void {
    const oldest = this.#items[this.#first]
    if (oldest === undefined) return
    this.#floor = oldest.sequence
    this.#characters -= oldest.characters
    this.#first += 1
    if (this.#first < this.#size) return
    this.#items = this.#items.slice(this.#first)
    this.#first = 0
  }

  /**
   * Records of a span after a sequence, exactly as the log has them: `size` records, or fewer at
   * the end. Undefined when the log may have more, or when it may have pruned one of them already.
   *
   * @param horizon milliseconds since the epoch; older records may be pruned
   */
  read(span: Span, after: number, size: number, horizon: number): ReadonlyArray<Entry> | undefined {
    const found: Array<Entry> = []
    const forwards = span.order === "asc"
    if (forwards && after < this.#floor) return undefined
    const step = forwards ? 1 : -1
    for (let at = forwards ? this.#indexAfter(after) : this.#indexAfter(after - 1) - 1; at >= this.#first; at += step) {
      const entry = this.#items[at]
      if (entry === undefined) return found
      // A record beyond the span's end proves that none is missing before it.
      if (!isWithin(span, entry.sequence)) return [...found, entry]
      if (span.projectId !== undefined && entry.projectId !== span.projectId) continue
      if (entry.at < horizon) return undefined
      found.push(entry)
      if (found.length === size) return found
    }
    return this.#floor <= span.stop ? found : undefined
  }

  /** The index of the first record with a larger sequence. */
  #indexAfter(sequence: number): number {
    return firstBehind(this.#items, sequence, this.#first)
  }
}
