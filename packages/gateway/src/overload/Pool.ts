/** A tenant; all administrators, who have none, count as one. */
export type Owner = string | undefined

export interface PoolLimits {
  /** Calls at once. */
  readonly calls: number
  /** Further calls that wait. */
  readonly waiting: number
  /** So many of them of one owner. */
  readonly waitingOfOne: number
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

/** What one owner has. It stays when that is nothing: a map whose content changes with every call keeps garbage alive. */
interface Share {
  taken: number
  readonly waiting: Array<Waiting>
}

/** Owners without a call are forgotten beyond so many. */
const capacity = 10_000

/**
 * The calls that one upstream has not answered yet. One owner has at most three quarters of the places, so a flood at
 * a slow upstream leaves places for others. A call without a place waits; places that become free go to the owners in
 * turns. An owner whose own queue is full is refused; when all together are too many, the owner with the most gives one
 * up.
 */
export class Pool {
  readonly #limits: PoolLimits
  readonly #mostOfOne: number
  readonly #later: Later
  readonly #shares = new Map<Owner, Share>()
  /** Those with waiting calls, in the order of their turns. */
  readonly #turns: Array<Share> = []
  #calls = 0
  #waiting = 0

  constructor(limits: PoolLimits, later: Later) {
    this.#limits = limits
    this.#mostOfOne = Math.max(1, Math.floor((limits.calls * 3) / 4))
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
    const share = this.#shareOf(owner)
    if (this.#calls < this.#limits.calls && share.taken < this.#mostOfOne) {
      this.#take(share)
      go()
      return this.#leaver(share)
    }
    const isFull = share.waiting.length >= this.#limits.waitingOfOne
    if (isFull || (this.#waiting >= this.#limits.waiting && !this.#makeRoom(share))) {
      refuse()
      return () => {}
    }
    return this.#queue(share, go, refuse)
  }

  #shareOf(owner: Owner): Share {
    const known = this.#shares.get(owner)
    if (known !== undefined) return known
    if (this.#shares.size >= capacity) this.#forgetIdle()
    const share = { taken: 0, waiting: [] }
    this.#shares.set(owner, share)
    return share
  }

  #forgetIdle(): void {
    for (const [owner, { taken, waiting }] of this.#shares) {
      if (taken === 0 && waiting.length === 0) this.#shares.delete(owner)
    }
  }

  #take(share: Share): void {
    this.#calls += 1
    share.taken += 1
  }

  #leaver(share: Share): () => void {
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#calls -= 1
      share.taken -= 1
      if (this.#waiting > 0) this.#next()
    }
  }

  #queue(share: Share, go: () => void, refuse: () => void): () => void {
    let leave = (): void => {
      this.#remove(share, waiting)
    }
    const waiting: Waiting = {
      go: () => {
        leave = this.#leaver(share)
        go()
      },
      refuse,
      cancel: this.#later(() => {
        if (this.#remove(share, waiting)) refuse()
      }, this.#limits.wait)
    }
    if (share.waiting.length === 0) this.#turns.push(share)
    share.waiting.push(waiting)
    this.#waiting += 1
    return () => leave()
  }

  /** Returns whether it was still waiting. */
  #remove(share: Share, waiting: Waiting): boolean {
    const place = share.waiting.indexOf(waiting)
    if (place < 0) return false
    share.waiting.splice(place, 1)
    if (share.waiting.length === 0) this.#turns.splice(this.#turns.indexOf(share), 1)
    this.#waiting -= 1
    waiting.cancel()
    return true
  }

  /** Gives free places to those that wait. */
  #next(): void {
    while (this.#calls < this.#limits.calls) {
      const share = this.#turns.find(({ taken }) => taken < this.#mostOfOne)
      const [first] = share?.waiting ?? []
      if (share === undefined || first === undefined) return
      this.#remove(share, first)
      if (share.waiting.length > 0) {
        // Behind the others.
        this.#turns.splice(this.#turns.indexOf(share), 1)
        this.#turns.push(share)
      }
      this.#take(share)
      first.go()
    }
  }

  /** Refuses the last call of the owner that has the most waiting. Returns whether the given owner has fewer. */
  #makeRoom(share: Share): boolean {
    const longest = this.#turns.reduce((most, _) => (_.waiting.length > most.waiting.length ? _ : most), share)
    const last = longest.waiting.at(-1)
    if (last === undefined || longest.waiting.length <= share.waiting.length + 1) return false
    this.#remove(longest, last)
    last.refuse()
    return true
  }
}
