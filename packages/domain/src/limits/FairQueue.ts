/** A tenant; all administrators, who have none, count as one. */
export type Owner = string | undefined

export interface QueueLimits {
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

const afterTimeout: Later = (run, milliseconds) => {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}

interface Waiting {
  readonly counts: ReadonlyArray<Count>
  readonly go: () => void
  readonly refuse: () => void
  readonly cancel: () => void
}

/** Places that may be taken for one reason, and how many are. */
interface Count {
  readonly most: number
  taken: number
}

/** What one owner has. It stays when that is nothing: a map whose content changes with every call keeps garbage alive. */
interface Share extends Count {
  readonly waiting: Array<Waiting>
  /** By kind of call. */
  readonly kinds: Map<string, Count>
}

const threeQuarters = (places: number): number => Math.max(1, Math.floor((places * 3) / 4))

const hasRoom = ({ most, taken }: Count): boolean => taken < most

/** The count of one kind, which may have three quarters of these places. */
const countIn = (kinds: Map<string, Count>, kind: string, places: number): Count => {
  const known = kinds.get(kind)
  if (known !== undefined) return known
  const count = { most: threeQuarters(places), taken: 0 }
  kinds.set(kind, count)
  return count
}

/** Owners without a call are forgotten beyond so many. */
const capacity = 10_000

/**
 * Limits the calls to one thing that is slower than its callers, and has the rest wait. One owner has at most three
 * quarters of the places, so a flood of one owner leaves places for others. A call without a place waits; places that
 * become free go to the owners in turns. An owner whose own queue is full is refused; when all together are too many, the owner with the most gives one
 * up. Calls that say of which kind they are have at most three quarters of the places for each kind, whoever makes them,
 * and one owner's of one kind three quarters of what the owner may have: its other calls go on.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #later: Later
  readonly #shares = new Map<Owner, Share>()
  readonly #kinds = new Map<string, Count>()
  /** Those with waiting calls, in the order of their turns. */
  readonly #turns: Array<Share> = []
  #calls = 0
  #waiting = 0

  constructor(limits: QueueLimits, later: Later = afterTimeout) {
    this.#limits = limits
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
   * @param kind one of few: a kind is never forgotten
   * @returns gives up the place, or the wait for it; may be called again
   */
  enter(owner: Owner, go: () => void, refuse: () => void, kind?: string): () => void {
    const share = this.#shareOf(owner)
    const most = this.#limits.calls
    const counts =
      kind === undefined ? [share] : [share, countIn(this.#kinds, kind, most), countIn(share.kinds, kind, share.most)]
    if (this.#calls < most && counts.every(hasRoom)) {
      this.#take(counts)
      go()
      return this.#leaver(counts)
    }
    const isFull = share.waiting.length >= this.#limits.waitingOfOne
    if (isFull || (this.#waiting >= this.#limits.waiting && !this.#makeRoom(share))) {
      refuse()
      return () => {}
    }
    return this.#queue(share, counts, go, refuse)
  }

  #shareOf(owner: Owner): Share {
    const known = this.#shares.get(owner)
    if (known !== undefined) return known
    if (this.#shares.size >= capacity) this.#forgetIdle()
    const share = { most: threeQuarters(this.#limits.calls), taken: 0, waiting: [], kinds: new Map() }
    this.#shares.set(owner, share)
    return share
  }

  #forgetIdle(): void {
    for (const [owner, { taken, waiting }] of this.#shares) {
      if (taken === 0 && waiting.length === 0) this.#shares.delete(owner)
    }
  }

  #take(counts: ReadonlyArray<Count>): void {
    this.#calls += 1
    for (const count of counts) count.taken += 1
  }

  #leaver(counts: ReadonlyArray<Count>): () => void {
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#calls -= 1
      for (const count of counts) count.taken -= 1
      if (this.#waiting > 0) this.#next()
    }
  }

  #queue(share: Share, counts: ReadonlyArray<Count>, go: () => void, refuse: () => void): () => void {
    let leave = (): void => {
      this.#remove(share, waiting)
    }
    const waiting: Waiting = {
      counts,
      go: () => {
        leave = this.#leaver(counts)
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
      const found = this.#nextOf()
      if (found === undefined) return
      const { first, share } = found
      this.#remove(share, first)
      if (share.waiting.length > 0) {
        // Behind the others.
        this.#turns.splice(this.#turns.indexOf(share), 1)
        this.#turns.push(share)
      }
      this.#take(first.counts)
      first.go()
    }
  }

  /** The first call of the first owner in turn that has room. */
  #nextOf(): { readonly share: Share; readonly first: Waiting } | undefined {
    for (const share of this.#turns) {
      const first = share.waiting.find(({ counts }) => counts.every(hasRoom))
      if (first !== undefined) return { share, first }
    }
    return undefined
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
