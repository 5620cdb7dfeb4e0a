import type { Entry } from "./entry.ts"
import { isWithin, type Span } from "./scan.ts"

/** So many records are kept at most, and so many characters of JSON; two bytes each at worst. */
export const ringSize = 10_000
export const ringCharacters = 8 * 1024 * 1024

interface Kept {
  readonly entry: Entry
  readonly characters: number
}

/**
 * The newest records of the log, all replicas', in its order: everything behind
 * {@link floor} up to {@link newest} is here. What it cannot know for certain
 * it does not say.
 */
export class Ring {
  #kept: Array<Kept> = []
  /** Where the kept ones begin; what is before was let go of. */
  #first = 0
  #characters = 0
  #floor: number
  #newest: number
  readonly #size: number
  readonly #most: number

  /** @param floor nothing up to this sequence is here; 0 for a log that has nothing else */
  constructor(floor: number, size = ringSize, characters = ringCharacters) {
    this.#floor = floor
    this.#newest = floor
    this.#size = size
    this.#most = characters
  }

  /** The largest sequence that is known of; what comes is larger. */
  get newest(): number {
    return this.#newest
  }

  /** Everything behind this sequence is here. */
  get floor(): number {
    return this.#floor
  }

  add(entry: Entry): void {
    if (entry.sequence <= this.#newest) return
    const characters = JSON.stringify(entry.record).length
    this.#kept.push({ entry, characters })
    this.#newest = entry.sequence
    this.#characters += characters
    while (this.#kept.length - this.#first > this.#size || this.#characters > this.#most) this.#letGo()
  }

  #letGo(): void {
    const oldest = this.#kept[this.#first]
    if (oldest === undefined) return
    this.#floor = oldest.entry.sequence
    this.#characters -= oldest.characters
    this.#first += 1
    if (this.#first < this.#size) return
    this.#kept = this.#kept.slice(this.#first)
    this.#first = 0
  }

  /**
   * Records of a span behind a sequence, as the log has them: so many, or fewer
   * where there are no more. Undefined when the log may have others, or when
   * one of them may be forgotten there already.
   *
   * @param horizon milliseconds since the epoch: what is older may be forgotten
   */
  read(span: Span, after: number, size: number, horizon: number): ReadonlyArray<Entry> | undefined {
    const found: Array<Entry> = []
    const forwards = span.order === "asc"
    if (forwards && after < this.#floor) return undefined
    const step = forwards ? 1 : -1
    for (let at = forwards ? this.#place(after) : this.#place(after - 1) - 1; at >= this.#first; at += step) {
      const entry = this.#kept[at]?.entry
      if (entry === undefined) return found
      // What lies behind the end of the span says that nothing is missing before it.
      if (!isWithin(span, entry.sequence)) return [...found, entry]
      if (span.projectId !== undefined && entry.record.project_id !== span.projectId) continue
      if (entry.at < horizon) return undefined
      found.push(entry)
      if (found.length === size) return found
    }
    return this.#floor <= span.stop ? found : undefined
  }

  /** Where those with a larger sequence begin. */
  #place(sequence: number): number {
    let [low, high] = [this.#first, this.#kept.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#kept[middle]?.entry.sequence ?? 0) > sequence) high = middle
      else low = middle + 1
    }
    return low
  }
}
