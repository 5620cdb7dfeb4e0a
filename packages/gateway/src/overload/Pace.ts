/** Whose call it is: a project. All callers that the gateway does not know, or that have no project, are one owner. */
export type Owner = string | undefined

/** Windows in a row that have to be late before calls are refused: a start or a collection of garbage is shorter. */
const lateWindows = 3
/** Windows without a refusal after which everything is admitted again. */
const calmWindows = 20
/** Factors on the pace for a late window and for another. */
const less = 0.9
const more = 1.05
/**
 * The least that is admitted, as a part of the most that was served lately. It lets a backlog drain. Where the loop is
 * late for another reason, such as a busy machine, refusing still more would not help.
 */
const least = 0.7
/** How fast the most that was served is forgotten: half of it in seven seconds. */
const forgetting = 0.99
/** The lowest pace, in calls per millisecond: what makes the loop late while so few calls come is something else. */
const slowest = 0.1

/**
 * The calls that a process begins while its event loop is late, in windows of about a tenth of a second. The pace is
 * a little less than what it served in the window before, and a little more once the loop is in time. It is shared evenly by owner: an owner that asks for less than its share gets all it asks for, and what it
 * leaves goes to the others.
 */
export class Pace {
  readonly #target: number
  readonly #calls = new Map<Owner, number>()
  #windowBegan: number
  #ended = 0
  #refused = 0
  #late = 0
  #calm = 0
  /** The most that was served lately, in calls per millisecond. */
  #most = 0
  /** Calls per millisecond; infinite while everything is admitted. */
  #pace = Number.POSITIVE_INFINITY
  /** Calls of one owner in this window. */
  #share = Number.POSITIVE_INFINITY

  /**
   * @param target milliseconds that the event loop may be late
   * @param now milliseconds of any clock, as for {@link turn}
   */
  constructor(target: number, now: number) {
    this.#target = target
    this.#windowBegan = now
  }

  /** Whether calls may be refused. */
  get isLimiting(): boolean {
    return this.#share !== Number.POSITIVE_INFINITY
  }

  /**
   * Counts a call.
   *
   * @param owner asked for only while calls may be refused
   */
  admits(owner: () => Owner): boolean {
    if (this.isLimiting) {
      const key = owner()
      const calls = (this.#calls.get(key) ?? 0) + 1
      this.#calls.set(key, calls)
      if (calls > this.#share) {
        this.#refused += 1
        return false
      }
    }
    return true
  }

  /** Counts the end of a call that was admitted. */
  ended(): void {
    this.#ended += 1
  }

  /**
   * Ends a window.
   *
   * @param now milliseconds
   * @param late milliseconds that the event loop was late in this window, on average
   */
  turn(now: number, late: number): void {
    const length = Math.max(1, now - this.#windowBegan)
    const served = this.#ended / length
    this.#most = Math.max(served, this.#most * forgetting)
    this.#late = late > this.#target ? this.#late + 1 : 0
    this.#calm = this.#refused > 0 || this.#late > 0 ? 0 : this.#calm + 1
    if (this.isLimiting ? this.#calm >= calmWindows : this.#late < lateWindows) this.#pace = Number.POSITIVE_INFINITY
    else if (this.#late > 0) {
      this.#pace = Math.max(slowest, this.#most * least, Math.min(this.#pace, served) * less)
    } else this.#pace *= more
    this.#share = this.#pace === Number.POSITIVE_INFINITY ? this.#pace : this.#shareOf(this.#pace * length)
    this.#windowBegan = now
    this.#ended = 0
    this.#refused = 0
    this.#calls.clear()
  }

  /** The most calls of one owner with which all, asking for as much as in the last window, make at most so many. */
  #shareOf(most: number): number {
    let left = most
    const asked = [...this.#calls.values()].toSorted((a, b) => a - b)
    for (const [index, calls] of asked.entries()) {
      const share = left / (asked.length - index)
      if (calls > share) return Math.max(1, Math.floor(share))
      left -= calls
    }
    return Math.max(1, Math.floor(left + (asked.at(-1) ?? 0)))
  }
}
