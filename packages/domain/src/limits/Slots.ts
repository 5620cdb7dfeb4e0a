import { Effect, Result, type Scope } from "effect"
import { type ThreadCounts, Threads } from "./Threads.ts"

/**
 * When the total is nearly used up, an owner with fewer slots than this still gets one; with a
 * ceiling this low, an owner still gets its first.
 */
const few = 2

/**
 * Limits the slots of each owner and the slots in total. The last tenth of the total is reserved
 * for owners with fewer than two slots, or with none where the ceiling is two. Owners at their
 * ceiling can therefore never keep another owner from its first slot.
 */
export class Slots {
  readonly #ofOne: number
  readonly #inAll: number
  readonly #few: number
  readonly #taken: Taken
  #all = 0

  /**
   * Slots that all threads of the process count together.
   *
   * @param kind what they are for
   */
  static make(kind: string, ofOne: number, inAll: number): Effect.Effect<Slots> {
    return Effect.map(Threads, (threads) =>
      threads === undefined ? new Slots(ofOne, inAll) : new Slots(ofOne, inAll, new TakenByAll(kind, threads))
    )
  }

  constructor(ofOne: number, inAll: number, taken: Taken = new TakenHere()) {
    this.#ofOne = ofOne
    this.#inAll = inAll
    this.#few = Math.max(1, Math.min(few, ofOne - 1))
    this.#taken = taken
  }

  /** The number of slots taken in this thread. */
  get all(): number {
    return this.#all
  }

  /**
   * Takes a slot until the scope ends.
   *
   * @param owner a project; all administrators, who have none, count as one owner
   * @param refused makes the failure from the ceiling that is reached: the owner's, or the total
   */
  enter<One, All>(
    owner: string | undefined,
    refused: { readonly ofOne: (most: number) => One; readonly inAll: (most: number) => All }
  ): Effect.Effect<void, One | All, Scope.Scope> {
    return Effect.asVoid(this.take(owner, refused))
  }

  /**
   * Takes a slot that may be released before the scope ends.
   *
   * @returns releases the slot; may be called again
   */
  take<One, All>(
    owner: string | undefined,
    refused: { readonly ofOne: (most: number) => One; readonly inAll: (most: number) => All }
  ): Effect.Effect<() => void, One | All, Scope.Scope> {
    const take = Effect.suspend(() => Effect.fromResult(this.takeNow(owner, refused)))
    return Effect.acquireRelease(take, (leave) => Effect.sync(leave))
  }

  /** The same without a scope: whoever takes the slot has to release it. */
  takeNow<One, All>(
    owner: string | undefined,
    refused: { readonly ofOne: (most: number) => One; readonly inAll: (most: number) => All }
  ): Result.Result<() => void, One | All> {
    const reached = this.#taken.add(owner, (own, all) => {
      if (own >= this.#ofOne) return "ofOne"
      const kept = own < this.#few ? 0 : Math.floor(this.#inAll / 10)
      return all >= this.#inAll - kept ? "inAll" : undefined
    })
    if (reached === "ofOne") return Result.fail(refused.ofOne(this.#ofOne))
    if (reached === "inAll") return Result.fail(refused.inAll(this.#inAll))
    this.#all += 1
    let isTaken = true
    return Result.succeed(() => {
      if (isTaken) this.#leave(owner)
      isTaken = false
    })
  }

  #leave(owner: string | undefined): void {
    this.#taken.remove(owner)
    this.#all -= 1
  }
}

type Reached = "ofOne" | "inAll" | undefined

/** How many slots are taken: by an owner, and in total. */
interface Taken {
  /** Adds one, unless `reached` finds a ceiling in the numbers so far; returns what it found. */
  add(owner: string | undefined, reached: (own: number, all: number) => Reached): Reached
  remove(owner: string | undefined): void
}

class TakenHere implements Taken {
  readonly #own = new Map<string | undefined, number>()
  #all = 0

  add(owner: string | undefined, reached: (own: number, all: number) => Reached): Reached {
    const own = this.#own.get(owner) ?? 0
    const found = reached(own, this.#all)
    if (found !== undefined) return found
    this.#own.set(owner, own + 1)
    this.#all += 1
    return undefined
  }

  remove(owner: string | undefined): void {
    const left = (this.#own.get(owner) ?? 1) - 1
    if (left === 0) this.#own.delete(owner)
    else this.#own.set(owner, left)
    this.#all -= 1
  }
}

/**
 * By all threads of the process: each has a number of its own in a row of the owner, and in one of the total, so that
 * those of a thread that ended can be cleared. An owner for whom there is no row any more is in the total alone.
 */
class TakenByAll implements Taken {
  readonly #kind: string
  readonly #threads: ThreadCounts

  constructor(kind: string, threads: ThreadCounts) {
    this.#kind = kind
    this.#threads = threads
  }

  add(owner: string | undefined, reached: (own: number, all: number) => Reached): Reached {
    const total = this.#rowOf("all")
    const own = this.#rowOf(`of ${owner ?? ""}`)
    return this.#exclusively(total, () => {
      const found = reached(this.#sum(own), this.#sum(total))
      if (found === undefined) this.#change(own, total, 1)
      return found
    })
  }

  remove(owner: string | undefined): void {
    this.#change(this.#rowOf(`of ${owner ?? ""}`), this.#rowOf("all"), -1)
  }

  #rowOf(whose: string): number | undefined {
    return this.#threads.slots.find(`${this.#kind} ${whose}`)
  }

  #exclusively<A>(row: number | undefined, change: () => A): A {
    return row === undefined ? change() : this.#threads.slots.exclusively(row, change)
  }

  #sum(row: number | undefined): number {
    if (row === undefined) return 0
    let sum = 0
    for (let thread = 0; thread < this.#threads.count; thread++) {
      sum += Atomics.load(this.#threads.slots.cells, row + thread)
    }
    return sum
  }

  #change(own: number | undefined, total: number | undefined, by: number): void {
    const { index, slots } = this.#threads
    for (const row of [own, total]) if (row !== undefined) Atomics.add(slots.cells, row + index, by)
  }
}
