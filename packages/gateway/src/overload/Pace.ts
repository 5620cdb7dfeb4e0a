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

/** An owner's calls come unevenly: it may be ahead of its share by so many windows. */
const ahead = 2
/** The part that one window has in what an owner is taken to ask for. */
const recent = 0.3

/** What an owner asks for. */
interface Demand {
  /** Calls in a window, smoothed. */
  asked: number
  /** Calls in this window. */
  calls: number
  /** Admitted calls that its share has not paid for yet. */
  owed: number
}

/**
 * The calls that a process begins while its event loop is late, in windows of about a tenth of a second. The pace is
 * a little less than what it served in the window before, and a little more once the loop is in time. It is shared evenly by owner: an owner that asks for less than its share gets all it asks for, and what it
 * leaves goes to the others.
 */
export class Pace {
  readonly #target: number
  readonly #demands = new Map<Owner, Demand>()
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
      const demand = this.#demandOf(owner())
      demand.calls += 1
      if (demand.owed + 1 > this.#share * ahead) {
        this.#refused += 1
        return false
      }
      demand.owed += 1
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
    if (this.#pace === Number.POSITIVE_INFINITY) {
      this.#share = this.#pace
      this.#demands.clear()
    } else this.#divide(this.#pace * length)
    this.#windowBegan = now
    this.#ended = 0
    this.#refused = 0
  }

  #demandOf(owner: Owner): Demand {
    const found = this.#demands.get(owner)
    if (found !== undefined) return found
    const made = { asked: 0, calls: 0, owed: 0 }
    this.#demands.set(owner, made)
    return made
  }

  #divide(most: number): void {
    for (const demand of this.#demands.values()) {
      demand.asked += (demand.calls - demand.asked) * recent
      demand.calls = 0
    }
    this.#share = this.#shareOf(most)
    for (const [owner, demand] of this.#demands) {
      demand.owed = Math.max(0, demand.owed - this.#share)
      if (demand.owed === 0 && demand.asked < 0.01) this.#demands.delete(owner)
    }
  }

  /** The most calls of one owner with which all, asking for as much as lately, make at most so many. */
  #shareOf(most: number): number {
    let left = most
    const asked = [...this.#demands.values()].map((_) => _.asked).toSorted((a, b) => a - b)
    for (const [index, calls] of asked.entries()) {
      const share = left / (asked.length - index)
      if (calls > share) return Math.max(1, share)
      left -= calls
    }
    return Math.max(1, left + (asked.at(-1) ?? 0))
  }
}
