import type { Owner } from "./Pace.ts"

export interface PoolLimits {
  /** Calls at once. */
  readonly calls: number
  /** Further calls that wait. */
  readonly waiting: number
  /** Milliseconds that a call waits. */
  readonly wait: number
}

/** Runs something later, and returns what cancels it. */
export type Later = (run: () => void, milliseconds: number) => () => void

interface Waiting {
  readonly go: () => void
  readonly refuse: () => void
  readonly cancel: () => void
}

/**
 * The calls that one upstream has not answered yet. One owner has at most three quarters of the places, so a flood at
 * a slow upstream leaves places for others. A call without a place waits; places that become free go to the owners in
 * turns. When the queue is full, the owner with the most waiting calls gives one up.
 */
export class Pool {
  readonly #limits: PoolLimits
  readonly #mostOfOne: number
  readonly #later: Later
  readonly #taken = new Map<Owner, number>()
  /** In the order of their turns. */
  readonly #queues = new Map<Owner, Array<Waiting>>()
  #calls = 0
  #waiting = 0

  constructor(limits: PoolLimits, later: Later) {
    this.#limits = limits
    this.#mostOfOne = Math.ceil((limits.calls * 3) / 4)
    this.#later = later
  }

  get calls(): number {
    return this.#calls
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Takes a place.
   *
   * @param go called once there is one: at once, or later
   * @param refuse called instead, when there is none in time or the queue is full
   * @returns gives up the place, or the wait for it; may be called again
   */
  enter(owner: Owner, go: () => void, refuse: () => void): () => void {
    if (this.#calls < this.#limits.calls && this.#mayTake(owner)) {
      this.#take(owner)
      go()
      return this.#leaver(owner)
    }
    if (this.#waiting >= this.#limits.waiting && !this.#makeRoom(owner)) {
      refuse()
      return () => {}
    }
    return this.#queue(owner, go, refuse)
  }

  #mayTake(owner: Owner): boolean {
    return (this.#taken.get(owner) ?? 0) < this.#mostOfOne
  }

  #take(owner: Owner): void {
    this.#calls += 1
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1)
  }

  #leaver(owner: Owner): () => void {
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#calls -= 1
      const left = (this.#taken.get(owner) ?? 1) - 1
      if (left === 0) this.#taken.delete(owner)
      else this.#taken.set(owner, left)
      this.#next()
    }
  }

  #queue(owner: Owner, go: () => void, refuse: () => void): () => void {
    let leave = (): void => {
      this.#remove(owner, waiting)
    }
    const waiting: Waiting = {
      go: () => {
        leave = this.#leaver(owner)
        go()
      },
      refuse,
      cancel: this.#later(() => {
        if (this.#remove(owner, waiting)) refuse()
      }, this.#limits.wait)
    }
    const queue = this.#queues.get(owner)
    if (queue === undefined) this.#queues.set(owner, [waiting])
    else queue.push(waiting)
    this.#waiting += 1
    return () => leave()
  }

  /** Returns whether it was still waiting. */
  #remove(owner: Owner, waiting: Waiting): boolean {
    const queue = this.#queues.get(owner)
    const place = queue?.indexOf(waiting) ?? -1
    if (queue === undefined || place < 0) return false
    queue.splice(place, 1)
    if (queue.length === 0) this.#queues.delete(owner)
    this.#waiting -= 1
    waiting.cancel()
    return true
  }

  /** Gives free places to those that wait. */
  #next(): void {
    for (const [owner, queue] of this.#queues) {
      if (this.#calls >= this.#limits.calls) return
      const [first] = queue
      if (first === undefined || !this.#mayTake(owner)) continue
      this.#remove(owner, first)
      if (queue.length > 0) {
        // Behind the others.
        this.#queues.delete(owner)
        this.#queues.set(owner, queue)
      }
      this.#take(owner)
      first.go()
    }
  }

  /** Refuses the last call of the owner that has the most waiting. Returns whether the given owner has fewer. */
  #makeRoom(owner: Owner): boolean {
    let longest: readonly [Owner, Array<Waiting>] | undefined
    for (const entry of this.#queues) if (longest === undefined || entry[1].length > longest[1].length) longest = entry
    const last = longest?.[1].at(-1)
    if (longest === undefined || last === undefined) return false
    if (longest[1].length <= (this.#queues.get(owner)?.length ?? 0) + 1) return false
    this.#remove(longest[0], last)
    last.refuse()
    return true
  }
}
